"""Interest and dividends of people who have both, as a private kernel density: prints errors and draws a picture.

python docs/examples/kernel_density.py density.png
python docs/examples/kernel_density.py density.png --draws 10 --functions 64
"""

import argparse

import numpy as np
from numpy.typing import NDArray

import shufflegram as sg
from shufflegram.extensions import exact_density, hash_family, hashed_density, kernel_collections
from shufflegram.privacy.budget import Budget

Floats = NDArray[np.float64]

# One dollar to the end of the data's domain, as powers of ten.
LOW, HIGH = 0.0, float(np.log10(524_288))


def people() -> Floats:
    """A point each: the powers of ten of their interest and of their dividends, in dollars."""
    incomes = sg.datasets.income_types()
    dollars = np.stack([incomes.column(kind).values for kind in ("interest", "dividends")], axis=1)
    return np.asarray(np.log10(dollars[(dollars > 0).all(axis=1)]), dtype=np.float64)


def queries(grid: int) -> Floats:
    """The middles of grid x grid squares, row by row from the lowest dividends."""
    middles = LOW + (np.arange(grid) + 0.5) * (HIGH - LOW) / grid
    return np.stack([each.ravel() for each in np.meshgrid(middles, middles)], axis=1)


def draw(path: str, densities: dict[str, Floats], grid: int) -> None:
    """The densities side by side, in the same colours."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 4.2), layout="constrained")
    colours = Normalize(0, max(density.max() for density in densities.values()))
    panels = figure.subplots(1, len(densities), sharey=True)
    for axes, (title, density) in zip(panels, densities.items(), strict=True):
        axes.imshow(density.reshape(grid, grid), origin="lower", extent=(LOW, HIGH, LOW, HIGH), norm=colours)
        axes.set(title=title, xlabel="interest (dollars)", xticks=range(6), yticks=range(6))
        axes.set_xticklabels([f"$10^{power}$" for power in range(6)])
        axes.set_yticklabels([f"$10^{power}$" for power in range(6)])
    panels[0].set_ylabel("dividends (dollars)")
    figure.colorbar(ScalarMappable(colours), ax=panels, label="mean kernel")
    figure.savefig(path, dpi=100)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("picture", help="where to draw the first draw's densities (PNG)")
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--delta", type=float, default=1e-6)
    parser.add_argument("--protocol", default="asp")
    parser.add_argument("--functions", type=int, default=256, help="hash functions")
    parser.add_argument("--width", type=float, default=1.0, help="of a hash value, in powers of ten")
    parser.add_argument("--draws", type=int, default=1, help="of the hash functions; errors are means over them")
    parser.add_argument("--grid", type=int, default=40, help="query points to a side")
    options = parser.parse_args(arguments)

    points, asked = people(), queries(options.grid)
    exact = exact_density(points, asked, options.width)
    budget = Budget(options.epsilon, options.delta, len(points))
    ways = {"every user answers every function": 1, "every user answers one function": options.functions}
    errors = []
    for seed in range(options.draws):
        hashes = hash_family([LOW, LOW], [HIGH, HIGH], options.width, options.functions, hash_seed=seed)
        hashed = hashed_density(hashes, points).at(asked)
        private = [
            kernel_collections(hashes, budget, options.protocol, groups=groups).simulate(points, seed).at(asked)
            for groups in ways.values()
        ]
        errors.append([[np.abs(a - b).mean() for a, b in ((hashed, exact), (p, exact), (p, hashed))] for p in private])
        if seed == 0:
            titles = ("exact", f"{options.functions} hash functions", f"private, epsilon {options.epsilon:g}")
            draw(options.picture, dict(zip(titles, (exact, hashed, private[0]), strict=True)), options.grid)
    print(f"{len(points):,} users, {options.functions} hash functions, {options.draws} draw(s) of them")
    print(f"({options.epsilon:g}, {options.delta:g})-differentially private, {options.protocol}")
    print(f"mean absolute errors over {len(asked):,} points, where the density is {exact.mean():.4f} on average")
    for way, (chance, total, noise) in zip(ways, np.mean(errors, axis=0), strict=True):
        print(f"{way}: hashed - exact {chance:.4f}, private - exact {total:.4f}, private - hashed {noise:.4f}")


if __name__ == "__main__":
    main()
