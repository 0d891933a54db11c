"""Feature files, scales and folds: what is read, what is written, what is refused."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import sidewise as sw
from sidewise.errors import DataError
from sidewise.learn import Features, fit_scaling, folds, read_features, read_folds, write_features, write_folds

LETOR_2 = "2 qid:1 1:3.00000000 2:2.07944154 3:0.42857143 #docid = 40626\n0 qid:1 1:0 2:0.1 3:1e-3 #docid = 11852\n"
LETOR_3 = "1 qid:10 1:0.000000 2:1.000000 3:0.052632 #docid = G21-63-2483329 inc = 1 prob = 0.0246906\n"


def written(folder, text, name="features.txt"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def same(one, other):
    assert (one.queries, one.documents, one.comments) == (other.queries, other.documents, other.comments)
    np.testing.assert_array_equal(one.values, other.values)
    np.testing.assert_array_equal(one.labels, other.labels)


# Reading and writing


def test_letor_files_are_read(tmp_path):
    found = read_features(written(tmp_path, LETOR_2 + LETOR_3))
    assert found.queries == ("1", "1", "10")
    assert found.documents == ("40626", "11852", "G21-63-2483329")
    assert found.labels.tolist() == [2, 0, 1]
    assert found.values.tolist() == [[3, 2.07944154, 0.42857143], [0, 0.1, 0.001], [0, 1, 0.052632]]
    assert repr(found) == "Features(2 queries, 3 documents, 3 features)"


def test_what_svmlight_allows_is_read(tmp_path):
    text = "\ufeff# made by hand\n\n+1 qid:b\t2:+0.5  4:-1e+2 # 1A\r\n-1 qid:é 1:0.25 # 2B \n0 qid:b # 3C"
    found = read_features(written(tmp_path, text), width=5)
    assert found.documents == ("1A", "2B", "3C")
    assert found.queries == ("b", "é", "b")
    assert found.values.tolist() == [[0, 0.5, 0, -100, 0], [0.25, 0, 0, 0, 0], [0] * 5]


def test_documents_without_a_name_are_numbered_within_their_query(tmp_path):
    found = read_features(written(tmp_path, "0 qid:1 1:3\n1 qid:2 1:4\n2 qid:1 1:5 # a long remark\n"))
    assert found.documents == ("1", "1", "2")


def test_many_blocks_and_sparse_lines_are_read_as_scikit_learn_reads_them(tmp_path):
    rng = np.random.default_rng(1)
    lines = []
    for row in range(9000):  # more than two blocks
        columns = np.flatnonzero(rng.random(7) < 0.5) + 1
        lines.append(f"{row % 3} qid:{row // 100} " + " ".join(f"{c}:{rng.normal():.6g}" for c in columns))
    path = written(tmp_path, "\n".join(lines))
    found = read_features(path)
    values, labels, queries = load_svmlight_file(str(path), query_id=True)
    np.testing.assert_array_equal(found.values, values.toarray())
    np.testing.assert_array_equal(found.labels, labels)
    assert found.queries == tuple(map(str, queries))


def test_packed_files_are_unpacked(tmp_path):
    path = tmp_path / "features.txt.gz"
    path.write_bytes(gzip.compress(LETOR_2.encode()))
    same(read_features(path), read_features(written(tmp_path, LETOR_2)))
    path.write_bytes(gzip.compress(LETOR_2.encode())[:-9])
    with pytest.raises(DataError, match="cannot be unpacked"):
        read_features(path)


NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
IDS = st.text(st.characters(exclude_categories=["Z", "C"], exclude_characters="#"), min_size=1, max_size=8)


@given(
    st.lists(st.tuples(IDS, NUMBERS, st.lists(NUMBERS, min_size=3, max_size=3)), min_size=1, max_size=6),
    st.lists(IDS, min_size=6, max_size=6, unique=True),
)
def test_what_is_written_is_read_back_the_same(tmp_path_factory, rows, documents):
    queries, labels, values = zip(*rows, strict=True)
    made = Features.from_arrays(queries, documents[: len(rows)], values, labels)
    path = tmp_path_factory.getbasetemp() / "round-trip.txt"
    write_features(made, path)
    found = read_features(path)
    assert (found.queries, found.documents) == (made.queries, made.documents)
    assert found.values.tobytes() == made.values.tobytes()  # the sign of a zero as well
    write_features(found, path)
    same(read_features(path), found)


def test_comments_are_kept(tmp_path):
    path = written(tmp_path, LETOR_3)
    write_features(read_features(path), tmp_path / "again.txt")
    assert "#docid = G21-63-2483329 inc = 1 prob = 0.0246906" in (tmp_path / "again.txt").read_text()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1 1:0.5", "line 3 begins with '1 1:0.5'; a line of features begins with a label and a query"),
        ("qid:4 1:0.5", "line 3 begins with"),
        ("1 qid: 1:0.5", "line 3 begins with"),
        ("x qid:4 1:0.5 #docid = q", "line 3: the label is 'x', which is not a finite number"),
        ("nan qid:4 1:0.5 #docid = q", "line 3: the label is 'nan'"),
        ("1 qid:4 1:0.5 2 #docid = q", "line 3: '2' is not a feature, which is written number:value, such as 3:0.25"),
        ("1 qid:4 1:0.5:2 3:4 #docid = q", "line 3: feature 1 is '0.5:2', which is not a finite number"),
        ("1 qid:4 1: 0.5 #docid = q", "line 3: feature 1 is '', which is not a finite number"),
        ("1 qid:4 1:abc #docid = q", "line 3: feature 1 is 'abc'"),
        ("1 qid:4 1:1_0 #docid = q", "line 3: feature 1 is '1_0'"),
        ("1 qid:4 1:NULL #docid = q", "line 3: feature 1 is 'NULL'"),
        ("1 qid:4 1:inf #docid = q", "line 3: feature 1 is 'inf'"),
        ("1 qid:4 0:1 #docid = q", "line 3: feature 0 comes after 0; features are numbered from 1 and ascend"),
        ("1 qid:4 2:1 2:3 #docid = q", "line 3: feature 2 comes after 2"),
        ("1 qid:4 -1:1 #docid = q", "line 3: '-1:1' is not a feature"),
        ("1 qid:4 99999999999:1 #docid = q", "line 3: feature 99999999999 is beyond 100,000"),
        ("1 qid:4 1:1", "line 3 names no document, and other lines do"),
        ("1 qid:1 1:1 #docid = 11852", "line 3: document '11852' of query '1' stood in line 2 already"),
    ],
)
def test_bad_lines_are_named(tmp_path, line, said):
    with pytest.raises(DataError) as error:
        read_features(written(tmp_path, LETOR_2 + line + "\n"))
    assert said in str(error.value)
    assert "features.txt" in str(error.value)


def test_files_without_documents_and_text_of_another_kind_are_refused(tmp_path):
    with pytest.raises(DataError, match="holds no documents"):
        read_features(written(tmp_path, "# nothing\n\n"))
    with pytest.raises(DataError, match="has a feature 3, and there should be 2"):
        read_features(written(tmp_path, LETOR_2), width=2)
    (tmp_path / "latin.txt").write_bytes(b"1 qid:1 1:1 #docid = \xe9\n")
    with pytest.raises(DataError, match=r"latin.txt line 1 is not UTF-8"):
        read_features(tmp_path / "latin.txt")


def test_what_a_file_cannot_hold_is_not_written(tmp_path):
    with pytest.raises(DataError, match="document 'a' of query '1' has no label"):
        write_features(Features.from_arrays([1], ["a"], [[1.0]]), tmp_path / "x")
    for odd in ("a b", "a#b", ""):
        with pytest.raises(DataError, match="ids there have no blanks and no #"):
            write_features(Features.from_arrays([1], [odd], [[1.0]], [0]), tmp_path / "x")


# The table


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([1, 1], ["a", "a"], [[1.0], [2.0]]), "document 'a' stands twice in query '1'"),
        (([1, 1], ["a"], [[1.0], [2.0]]), "there are 2 queries, 1 documents"),
        (([1], ["a"], [1.0]), "a row of numbers"),
        (([1], ["a"], [[float("nan")]]), "feature 1 of document 'a' of query '1' is nan"),
        (([1], ["a"], [["x"]]), "features and labels are numbers"),
        (([1, 2], ["a", "b"], [[1], [2, 3]]), "features and labels are numbers"),
    ],
)
def test_tables_that_make_no_sense_are_refused(arguments, said):
    with pytest.raises(DataError, match=said):
        Features.from_arrays(*arguments)


def test_rows_are_found_by_query():
    made = Features.from_arrays("abab", ["x", "x", "y", "z"], [[1], [2], [3], [4]], [5, 6, 7, 8])
    picked = made.of_queries(["b", "a", "b"])
    assert picked.queries == ("b", "b", "a", "a")
    assert picked.labels.tolist() == [6, 8, 5, 7]
    assert made.row_of["b", "z"] == 3
    with pytest.raises(sw.SidewiseError, match="no features of 1 queries: 'c'"):
        made.of_queries("abc")


# Scales


def test_scales_are_those_of_the_training_documents():
    rng = np.random.default_rng(2)
    train = Features.from_arrays(np.repeat([1, 2], 10), range(20), rng.gamma(2, 3, (20, 3)))
    test = Features.from_arrays([3] * 5, range(5), rng.gamma(2, 3, (5, 3)))
    expected = StandardScaler().fit(train.values)
    scaling = fit_scaling(train)
    np.testing.assert_allclose(scaling.apply(train).std(axis=0), 1)
    np.testing.assert_allclose(scaling.apply(test), expected.transform(test.values))
    assert fit_scaling(train, "none").apply(test).tolist() == test.values.tolist()


def test_the_scale_of_a_query_is_its_own():
    rng = np.random.default_rng(3)
    made = Features.from_arrays([1, 2] * 6, range(12), rng.normal(size=(12, 3)))
    made.values[::2, 1] = 4.0  # the same for all documents of the first query
    found = fit_scaling(made.of_queries(["2"]), "query").apply(made)
    for start in (0, 1):
        np.testing.assert_allclose(found[start::2], MinMaxScaler().fit_transform(made.values[start::2]), atol=1e-12)


def test_a_constant_feature_is_zero_and_stays_finite():
    made = Features.from_arrays([1, 1, 1], "abc", [[0.1, 1], [0.1, 2], [0.1, 3]])
    assert np.abs(fit_scaling(made).apply(made)[:, 0]).max() < 1e-12
    with pytest.raises(sw.SidewiseError, match="no scale 'z'; there are: deviation, query, none"):
        fit_scaling(made, "z")


# Folds


def test_folds_turn_as_letor_has_them():
    queries = [str(number) for number in range(1, 51)]
    made = folds(queries)
    assert [tuple(map(len, fold)) for fold in made] == [(30, 10, 10)] * 5
    s1, s2, s3, s4, s5 = (tuple(queries[start : start + 10]) for start in range(0, 50, 10))
    assert made[0] == (s1 + s2 + s3, s4, s5)
    assert made[1] == (s2 + s3 + s4, s5, s1)
    assert made[4] == (s5 + s1 + s2, s3, s4)
    assert sorted(query for fold in made for query in fold.test) == sorted(queries)


@given(st.integers(5, 60), st.integers(3, 5))
def test_every_query_is_tested_once_and_never_trained_on_then(count, parts):
    made = folds(map(str, range(count)), parts=parts)
    assert sorted(int(query) for fold in made for query in fold.test) == list(range(count))
    for fold in made:
        assert len(set(fold.train + fold.validation + fold.test)) == count
        assert min(map(len, fold)) > 0


def test_too_few_queries_make_no_folds():
    with pytest.raises(DataError, match="4 queries do not make 5 folds"):
        folds("abcd")


@pytest.fixture
def letor(tmp_path):
    rng = np.random.default_rng(4)
    made = Features.from_arrays(np.repeat(np.arange(1, 6), 3), range(15), rng.normal(size=(15, 2)), [0] * 15)
    write_folds(made, folds("12345"), tmp_path)
    return tmp_path, made


def test_a_letor_folder_is_read(letor):
    folder, made = letor
    found = read_folds(folder)
    assert found.folds == folds("12345")
    np.testing.assert_array_equal(found.features.of_queries("12345").values, made.values)


def test_names_of_letor_2_are_known(letor):
    folder, _ = letor
    for fold in folder.iterdir():
        for name, old in (("train", "trainingset"), ("vali", "validationset"), ("test", "testset")):
            (fold / f"{name}.txt").rename(fold / f"{old}.txt")
    assert read_folds(folder).folds == folds("12345")


def test_folders_that_are_not_letors_are_refused(letor, tmp_path):
    folder, _ = letor
    with pytest.raises(DataError, match="holds no folders Fold1"):
        read_folds(tmp_path / "Fold1")
    (folder / "Fold2" / "vali.txt").write_text((folder / "Fold2" / "test.txt").read_text())
    with pytest.raises(DataError, match=r"query 1 stands both in .*vali.txt and in .*test.txt"):
        read_folds(folder)
    (folder / "Fold2" / "vali.txt").unlink()
    with pytest.raises(DataError, match=r"Fold2 has no vali.txt"):
        read_folds(folder)


def test_a_query_whose_lines_differ_between_folds_is_refused(letor):
    folder, _ = letor
    path = folder / "Fold3" / "test.txt"
    path.write_text(path.read_text().replace(" 1:", " 1:1", 1))
    with pytest.raises(DataError, match="query 2 has other lines in"):
        read_folds(folder)
