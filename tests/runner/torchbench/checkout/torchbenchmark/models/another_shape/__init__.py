class Model:
    def __init__(self, where):
        pass
