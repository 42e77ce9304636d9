"""Define the messages of records: `tf.train.Example` and its parts."""

from tpuref.interface.files.messages import MessageType

_MESSAGES = (
    """BytesList
    repeated bytes value = 1""",
    """FloatList
    repeated float value = 1""",
    """Int64List
    repeated int64 value = 1""",
    """Feature
    oneof kind: BytesList bytes_list = 1
    oneof kind: FloatList float_list = 2
    oneof kind: Int64List int64_list = 3""",
    """Features
    map<string, Feature> feature = 1""",
    """Example
    Features features = 1""",
    """FeatureList
    repeated Feature feature = 1""",
    """FeatureLists
    map<string, FeatureList> feature_list = 1""",
    """SequenceExample
    Features context = 1
    FeatureLists feature_lists = 2""",
)


def _message(name: str) -> MessageType:
    return MessageType(name, _MESSAGES, f"tf.train.{name}")


BytesList = _message("BytesList")
FloatList = _message("FloatList")
Int64List = _message("Int64List")
Feature = _message("Feature")
Features = _message("Features")
Example = _message("Example")
FeatureList = _message("FeatureList")
FeatureLists = _message("FeatureLists")
SequenceExample = _message("SequenceExample")
