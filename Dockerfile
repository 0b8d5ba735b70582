# The bot in a container: non-root, everything it keeps in the volume /data.
FROM python:3.11-slim AS build
WORKDIR /app
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /venv
COPY requirements.lock pyproject.toml README.md LICENSE ./
COPY bots bots
COPY core core
COPY corpus corpus
COPY eval eval
COPY feedback feedback
RUN /venv/bin/pip install --extra-index-url https://download.pytorch.org/whl/cpu \
    --constraint requirements.lock .

FROM python:3.11-slim
RUN apt-get update && apt-get install --yes --no-install-recommends git \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 nightlamp \
    && install --directory --owner nightlamp /data
COPY --from=build /venv /venv
ENV PATH=/venv/bin:$PATH NIGHTLAMP_DATA=/data PYTHONUNBUFFERED=1
USER nightlamp
VOLUME /data
WORKDIR /data
CMD ["nightlamp", "serve"]
