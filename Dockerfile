# The bot in a container: non-root, a root file system that may be read-only, everything it keeps in
# the volume /data, and /tmp for what need not last.
FROM python:3.11-slim-bookworm AS build
WORKDIR /app
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /venv
COPY requirements.lock pyproject.toml ./
# What pyproject.toml asks for, at the versions of the lock: rebuilt only when one of them changes.
RUN python -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['dependencies'], sep='\n')" \
    > wanted.txt \
    && /venv/bin/pip install --extra-index-url https://download.pytorch.org/whl/cpu \
    --constraint requirements.lock --requirement wanted.txt
COPY README.md LICENSE ./
COPY bots bots
COPY core core
COPY corpus corpus
COPY eval eval
COPY feedback feedback
RUN /venv/bin/pip install --no-deps .

FROM python:3.11-slim-bookworm
RUN apt-get update && apt-get install --yes --no-install-recommends git openssh-client \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --home-dir /data nightlamp \
    && install --directory --owner nightlamp --mode 0700 /data
COPY --from=build /venv /venv
ENV PATH=/venv/bin:$PATH \
    HOME=/data \
    HF_HOME=/data/huggingface \
    MPLCONFIGDIR=/tmp/matplotlib \
    NIGHTLAMP_DATA=/data \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER nightlamp
VOLUME /data
WORKDIR /data
HEALTHCHECK --interval=30s --timeout=15s --start-period=120s --retries=3 \
    CMD ["python", "-P", "-m", "bots.healthy"]
CMD ["nightlamp", "serve"]
