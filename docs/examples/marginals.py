"""Kinds of income about the same users: how far the product of the estimated marginals is from the joint truth.

python docs/examples/marginals.py
python docs/examples/marginals.py --repetitions 20 --epsilons 0.1 1
"""

import argparse

import numpy as np

import shufflegram as sg
from shufflegram.extensions import JointTruth, SeveralAttributes, by_composition, evenly
from shufflegram.privacy.budget import Budget


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--epsilons", type=float, nargs="+", default=[0.02, 0.06, 0.1, 0.5, 1.0])
    parser.add_argument("--delta", type=float, default=1e-6)
    parser.add_argument("--protocol", default="asp")
    parser.add_argument("--users", type=int, help="how many take part; by default everyone")
    parser.add_argument("--bins", type=int, default=512)
    parser.add_argument("--attributes", type=int, default=8, help="how many kinds, from the first")
    parser.add_argument(
        "--edges", type=int, nargs=2, help="cells an axis at which CDFs are compared, pairs and triples"
    )
    parser.add_argument("--repetitions", type=int, default=3)
    options = parser.parse_args(arguments)

    incomes = sg.datasets.income_types()
    incomes = incomes.first(options.users or incomes.users)
    domain = sg.Domain(incomes.domain.low, incomes.domain.high, options.bins, unit=incomes.unit)
    rows = np.stack([domain.cells(column) for column in incomes.values.T[: options.attributes]], axis=1)
    truth = JointTruth(rows, options.bins, dict(zip((2, 3), options.edges or (), strict=False)))
    domains = [domain] * options.attributes
    print(f"{incomes.users:,} users, {len(domains)} attributes, {options.bins} bins, {options.protocol}, W1 of all")
    print(f"2-way and 3-way marginals; floors {truth.floors[2]:.2g} and {truth.floors[3]:.2g}")
    for epsilon in options.epsilons:
        budget = Budget(epsilon, options.delta, incomes.users)
        for way, split in {
            "epsilon/d, published": evenly(options.protocol, domains, budget, "published"),
            "epsilon/d, exact": evenly(options.protocol, domains, budget),
            "composed, exact": by_composition(options.protocol, domains, budget),
        }.items():
            scores = [
                truth.score([each.frequencies for each in SeveralAttributes(split).simulate(truth.histograms, seed)])
                for seed in range(options.repetitions)
            ]
            pairs, triples = (np.mean([score[ways].against_joint for score in scores]) for ways in (2, 3))
            print(
                f"epsilon {epsilon:g}, {way}: {pairs:.3g} and {triples:.3g}, with epsilon {split.each.epsilon:.3g} "
                f"for each attribute"
            )


if __name__ == "__main__":
    main()
