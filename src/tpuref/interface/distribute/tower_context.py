"""The context of a tower."""

from typing import Any

from tpuref.interface.distribute.member import Member
from tpuref.names.members import explain_missing_members


@explain_missing_members("tf.contrib.distribute.TowerContext")
class TowerContext(Member):
    """The tower in which ``call_for_each_tower`` runs a function.

    See 001_66db0865fe92828f.txt, call_for_each_tower.  `distribution_strategy` is the
    strategy that the tower belongs to.  `tower_id` is the index of the tower.
    `variables` are the variables that the towers have made.

    Examples
    --------
    >>> tf.get_tower_context().num_towers
    1
    """

    @property
    def distribution_strategy(self) -> Any:
        """The strategy that the tower belongs to."""
        return self.strategy

    @property
    def tower_id(self) -> int:
        """The index of the tower."""
        assert self.number is not None
        return self.number

    @property
    def num_towers(self) -> int:
        """The number of towers of the strategy."""
        return self.num_replicas_in_sync

    @property
    def is_single_tower(self) -> bool:
        """Whether the strategy has one tower only."""
        return self.num_towers == 1

    def __repr__(self) -> str:
        return f"<TowerContext tower {self.tower_id} of {self.num_towers}>"
