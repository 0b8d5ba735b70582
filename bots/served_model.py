"""Whether the server that embeds can be asked, for doctor."""

from core.settings_groups import EmbeddingSettings


async def served_model(settings: EmbeddingSettings) -> tuple[str, str] | None:
    """Return what is wrong, and what the model is; None where no server embeds. Takes seconds.

    One word is embedded: nothing else tells whether key, model and length of vectors are right.
    """
    if settings.base_url is None:
        return None
    from core.engines.openai_embed import OpenAIEmbedder  # takes its time to load

    embedder = OpenAIEmbedder(settings)
    try:
        wrong = await embedder.health()
    finally:
        await embedder.aclose()
    says = f"{settings.model} at {settings.base_url}, vectors of {settings.length:,} numbers"
    return (f"{wrong} Until then search is by keywords only." if wrong else ""), says
