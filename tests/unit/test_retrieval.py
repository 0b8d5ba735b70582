import math
from collections.abc import Sequence

import pytest

from core.engines.hashing import HashingEmbedder
from core.errors import IndexUnavailable
from core.models import Scope
from core.outcomes import Finding, Gate, Ranks
from core.ports import Embedder
from core.retrieval import Retriever
from core.settings_groups import RetrievalSettings
from tests.fakes import FakeIndex, ScriptedEmbedder
from tests.indexed import VOCABULARY, indexed, page, put, retriever_of

CRASH = page(
    "pod-crash.md",
    "---\nservice: platform\nalerts: [KubePodCrashLooping]\n---\n# Pod crash\n\n"
    "## Meaning\n\nA pod restarts again and again.\n\n"
    "## Roll back\n\nUndo the last deploy of the pod.\n",
)
DISK = page("disk.md", "---\nservice: storage\n---\n# Disk full\n\nDelete old logs of kafka.\n")
SECRET = page("vault.md", "---\nvisibility: [secops]\n---\n# Vault sealed\n\nUnseal the vault.\n")
INCIDENT = page("postmortems/2030.md", "# Disk full in March\n\nThe disk was full.\n")
THEIRS = page("disk.md", "# Disk full at theirs\n\nAnother company's disk.\n", tenant="globex")
OPEN = Scope()
PAGES = (CRASH, DISK, SECRET, INCIDENT, THEIRS)


async def find(
    text: str, scope: Scope = OPEN, *, embedder: Embedder | None = None, fusion: str = "mix"
) -> Finding:
    embedder = embedder or ScriptedEmbedder()
    index = await indexed(embedder, PAGES)
    return await retriever_of(index, embedder, fusion=fusion).find(text, tenant="acme", scope=scope)


def found(finding: Finding) -> list[tuple[str, ...]]:
    return [tuple(hit.section.breadcrumb for hit in result.hits) for result in finding.results]


async def test_the_sections_of_one_page_are_one_result() -> None:
    assert found(await find("pod restarts after the deploy"))[0] == (
        "Pod crash › Roll back",
        "Pod crash › Meaning",
    )


async def test_a_hit_keeps_its_distance_its_ranks_and_the_passage_that_matched() -> None:
    hit = (await find("delete kafka logs from the disk")).results[0].best
    assert hit.distance == pytest.approx(0.0)
    assert hit.ranks == Ranks(dense=1, passage=1, section=1)
    assert DISK.text[hit.passage.start : hit.passage.end] == "Delete old logs of kafka."


async def test_a_search_stays_in_its_tenant() -> None:
    assert ("Disk full at theirs",) not in found(await find("another company's disk"))


async def test_what_a_scope_does_not_see_is_not_found() -> None:
    assert ("Vault sealed",) not in found(await find("vault sealed"))
    seen = found(await find("vault sealed", Scope(visibility=("everyone", "secops"))))
    assert seen[0] == ("Vault sealed",)


async def test_a_scope_without_a_label_sees_nothing() -> None:
    assert found(await find("disk full", Scope(visibility=()))) == []


async def test_a_scope_narrows_to_service_and_type() -> None:
    assert found(await find("disk full", Scope(service=("storage",)))) == [("Disk full",)]
    assert found(await find("disk full", Scope(type=("postmortem",)))) == [("Disk full in March",)]


async def test_an_exact_alert_name_wins_over_similarity() -> None:
    finding = await find("disk full disk full KubePodCrashLooping")
    assert found(finding)[0] == ("Pod crash › Meaning", "Pod crash › Roll back")
    assert finding.exact


async def test_an_alert_name_of_an_unseen_page_is_no_evidence() -> None:
    hidden = page("a.md", "---\nvisibility: [secops]\nalerts: [VaultSealed]\n---\n# A\n\nText.\n")
    embedder = ScriptedEmbedder()
    retriever = retriever_of(await indexed(embedder, (hidden, DISK)), embedder)
    assert not (await retriever.find("VaultSealed", tenant="acme", scope=Scope())).exact


async def test_the_signals_are_those_of_all_that_was_found() -> None:
    finding = await find("disk full")
    first, last = finding.results[0].best, finding.results[-1].best
    assert finding.signals == {
        "cos": pytest.approx(1.0),
        "gap20": pytest.approx(first.score - last.score),
        "dcover": pytest.approx(1.0),
        "agree": 1.0,
        "tokens": 2.0,
        "qlen": pytest.approx(1.0986122886681098),
        "keyword": pytest.approx(first.keyword_score),
    }


async def test_nothing_to_find_has_signals_all_the_same() -> None:
    nothing = await find("vault sealed", Scope(service=("nobody",)))
    assert nothing.results == ()
    found = {name: figure for name, figure in nothing.signals.items() if figure}
    assert found == {"tokens": 2.0, "qlen": pytest.approx(1.0986122886681098)}


async def test_a_section_that_only_keywords_found_has_a_distance_too() -> None:
    embedder = ScriptedEmbedder()
    logs = [page(f"{n}.md", f"# Page {n}\n\nThe disk is full.\n") for n in range(40)]
    named = page("named.md", "# Zanzibar\n\nNothing else.\n")
    index = await indexed(embedder, (*logs, named))
    settings = RetrievalSettings(candidates=20)
    retriever = Retriever(index, embedder, VOCABULARY, settings)
    finding = await retriever.find("disk zanzibar", tenant="acme", scope=Scope())
    hit = next(r.best for r in finding.results if r.best.section.breadcrumb == "Zanzibar")
    assert hit.distance == pytest.approx(1.0)
    assert hit.ranks == Ranks(passage=1, section=1)


async def test_by_reciprocal_ranks_a_score_is_a_sum_of_reciprocals() -> None:
    best = (await find("disk full", fusion="rrf")).results[0].best
    ranks = [rank for rank in (best.ranks.dense, best.ranks.passage, best.ranks.section) if rank]
    assert best.score == pytest.approx(sum(1 / (60 + rank) for rank in ranks))


async def test_noise_of_a_log_is_not_searched_for() -> None:
    clean = await find("disk full on api")
    noisy = await find("2030-01-07T03:12:55Z disk full on api-6d4cf56db6-x2vbn")
    assert found(noisy) == found(clean)
    assert noisy.signals == clean.signals


async def test_results_are_as_many_as_asked_for() -> None:
    embedder = ScriptedEmbedder()
    retriever = retriever_of(await indexed(embedder, PAGES), embedder)
    finding = await retriever.find("disk full", tenant="acme", scope=Scope(), limit=1)
    assert len(finding.results) == 1


async def test_an_untrusted_model_is_not_asked_on_a_small_corpus() -> None:
    finding = await find("disk full", embedder=HashingEmbedder())
    assert finding.gate == Gate(dense=False, reason="untrusted model on a small corpus")
    assert (finding.vector, finding.results[0].best.distance) == (None, None)


async def test_an_untrusted_model_counts_from_fifty_documents_on() -> None:
    embedder = HashingEmbedder()
    pages = [page(f"{number}.md", f"# Page {number}\n\nText.\n") for number in range(50)]
    retriever = retriever_of(await indexed(embedder, pages), embedder)
    finding = await retriever.find("page 7", tenant="acme", scope=Scope())
    assert finding.gate == Gate(dense=True)


async def test_while_the_model_fails_keywords_go_on() -> None:
    embedder = ScriptedEmbedder()
    index = await indexed(embedder, PAGES)
    embedder.failing = True
    finding = await retriever_of(index, embedder).find("disk full", tenant="acme", scope=Scope())
    assert finding.gate == Gate(dense=False, reason="the embedding model failed")
    assert ("Disk full",) in found(finding)


async def test_an_index_that_holds_nothing_yet_is_unavailable() -> None:
    embedder = ScriptedEmbedder()
    retriever = retriever_of(FakeIndex(embedder.dimension), embedder)
    with pytest.raises(IndexUnavailable):
        await retriever.find("disk full", tenant="acme", scope=Scope())


async def test_an_index_of_no_documents_finds_nothing() -> None:
    embedder = ScriptedEmbedder()
    retriever = retriever_of(await indexed(embedder, ()), embedder)
    assert (await retriever.find("disk full", tenant="acme", scope=Scope())).results == ()


class _Replaced(FakeIndex):
    """Another build takes the live one's place once lengths are read: it lacks some sections."""

    lost: tuple[str, ...] = ()

    async def lengths(self, ids: Sequence[str]) -> dict[str, int]:
        found = await super().lengths(ids)
        self.points = {id_: one for id_, one in self.points.items() if id_ not in self.lost}
        return found


async def test_what_a_new_build_lacks_leaves_its_place_to_the_next() -> None:
    embedder = ScriptedEmbedder()
    index = _Replaced(embedder.dimension)
    await put(index, embedder, (DISK, INCIDENT))
    retriever = retriever_of(index, embedder)
    before = await retriever.find("disk full", tenant="acme", scope=OPEN)
    first, second = (result.best.section for result in before.results)
    index.lost = (first.id,)
    after = await retriever.find("disk full", tenant="acme", scope=OPEN, limit=1)
    assert [result.best.section for result in after.results] == [second]


async def test_the_times_add_up() -> None:
    timing = (await find("disk full")).timing
    assert math.isclose(timing.embed + timing.search, timing.total, abs_tol=1e-6)


async def find_by(**values: str) -> Finding:
    embedder = ScriptedEmbedder()
    settings = RetrievalSettings.model_validate(values)
    retriever = Retriever(await indexed(embedder, PAGES), embedder, VOCABULARY, settings)
    return await retriever.find("undo the deploy of KubePodCrashLooping", tenant="acme", scope=OPEN)


async def test_dense_search_alone_ranks_by_distance_and_knows_no_keyword() -> None:
    finding = await find_by(search="dense")
    hits = [hit for result in finding.results for hit in result.hits]
    assert {hit.ranks for hit in hits} == {Ranks(dense=n) for n in range(1, len(hits) + 1)}
    assert [hit.score for hit in hits] == [1 - (hit.distance or 0.0) for hit in hits]
    assert not finding.exact


async def test_keyword_search_alone_says_that_dense_search_is_off() -> None:
    finding = await find_by(search="keyword")
    assert finding.gate == Gate(dense=False, reason="dense search is switched off")
    assert {hit.distance for result in finding.results for hit in result.hits} == {None}
    assert found(finding)[0] == ("Pod crash › Roll back", "Pod crash › Meaning")


async def test_dense_search_alone_goes_on_by_keywords_when_the_model_fails() -> None:
    embedder = ScriptedEmbedder()
    index = await indexed(embedder, PAGES)
    settings = RetrievalSettings(search="dense")
    retriever = Retriever(index, ScriptedEmbedder(failing=True), VOCABULARY, settings)
    finding = await retriever.find("delete logs", tenant="acme", scope=OPEN)
    assert found(finding)[0] == ("Disk full",)


async def test_a_result_can_be_a_single_section() -> None:
    finding = await find_by(results="hits")
    assert {len(result.hits) for result in finding.results} == {1}


async def test_vectors_of_a_models_other_backend_are_compared() -> None:
    index = await indexed(ScriptedEmbedder(name="m:torch:fp32"), PAGES)
    embedder = ScriptedEmbedder(name="m:onnx:fp32")
    retriever = Retriever(index, embedder, VOCABULARY, RetrievalSettings())
    finding = await retriever.find("disk full", tenant="acme", scope=Scope())
    assert finding.gate == Gate(dense=True)


async def test_vectors_of_another_model_are_never_compared() -> None:
    index = await indexed(ScriptedEmbedder(name="old"), PAGES)
    retriever = Retriever(index, ScriptedEmbedder(name="new"), VOCABULARY, RetrievalSettings())
    finding = await retriever.find("disk full", tenant="acme", scope=Scope())
    assert finding.gate == Gate(dense=False, reason="the index was built with another model")
    assert finding.results != ()
