"""The BasicGNN models of PyTorch Geometric."""

from compare import Case, copy_in_order


def gnn(name):
    def run(dump):
        from torch_geometric.nn import models

        original = getattr(models, name)(64, 64, num_layers=3)
        nodes, edges = dump["inputs"]
        return [copy_in_order(original, dump)(nodes, edges)]

    return run


CASES = {
    f"basic_gnn_{name.lower()}": Case(gnn(model), "PyTorch Geometric", batch=1)
    for name, model in (("gcn", "GCN"), ("gin", "GIN"), ("sage", "GraphSAGE"), ("edgecnn", "EdgeCNN"))
}
