"""The tree that is drawn at the top of errors.py is the tree there is."""

import re

import pytest

from shufflegram import errors


def drawn_tree(docstring: str) -> dict[str, tuple[str | None, set[str]]]:
    """Each class in the drawing with the class it hangs from, and the other bases it is said to have."""
    tree: dict[str, tuple[str | None, set[str]]] = {}
    path: list[tuple[int, str]] = []
    for line in docstring.splitlines():
        match = re.match(r"^(?P<branch>[\s│├└─]*)(?P<name>\w+Error)(?P<rest>.*)$", line)
        if match is None:
            continue
        depth = len(match["branch"])
        while path and path[-1][0] >= depth:
            path.pop()
        also = set(re.findall(r"\(also an? (\w+)\)", match["rest"]))
        tree[match["name"]] = (path[-1][1] if path else None, also)
        path.append((depth, match["name"]))
    return tree


def real_classes() -> dict[str, type[BaseException]]:
    return {
        name: thing
        for name, thing in vars(errors).items()
        if isinstance(thing, type) and issubclass(thing, BaseException) and thing.__module__ == errors.__name__
    }


def test_the_drawn_tree_is_the_real_one() -> None:
    assert errors.__doc__ is not None
    real = {}
    for name, error in real_classes().items():
        own = [base.__name__ for base in error.__bases__ if base.__module__ == errors.__name__]
        others = {base.__name__ for base in error.__bases__ if base.__module__ != errors.__name__}
        assert len(own) <= 1
        real[name] = (own[0], others) if own else (None, others - {"Exception"})
    assert drawn_tree(errors.__doc__) == real


def test_all_names_every_error_in_order() -> None:
    assert errors.__all__ == sorted(real_classes())


def test_there_is_one_root() -> None:
    assert [name for name, (parent, _) in drawn_tree(str(errors.__doc__)).items() if parent is None] == [
        "ShufflegramError"
    ]
    assert issubclass(errors.InputError, ValueError)
    assert not issubclass(errors.InfeasibleError, errors.InputError)


@pytest.mark.parametrize("name", errors.__all__)
def test_every_error_says_what_it_is_for(name: str) -> None:
    docstring = vars(errors)[name].__doc__
    assert docstring
    assert len(docstring.splitlines()) == 1
