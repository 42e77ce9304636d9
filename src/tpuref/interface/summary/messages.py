"""The messages of event files: `tf.Summary`, `tf.HistogramProto`, `tf.Event`.

The fields have the names and numbers of TensorFlow's formats; fields that neither
tpuref nor TensorBoard uses are missing.
"""

from tpuref.interface.files.messages import MessageType

_MESSAGES = (
    """HistogramProto
    double min = 1
    double max = 2
    double num = 3
    double sum = 4
    double sum_squares = 5
    repeated double bucket_limit = 6
    repeated double bucket = 7""",
    """SummaryMetadata
    SummaryMetadata.PluginData plugin_data = 1
    string display_name = 2
    string summary_description = 3
    int32 data_class = 4""",
    """SummaryMetadata.PluginData
    string plugin_name = 1
    bytes content = 2""",
    """TensorShapeProto
    repeated TensorShapeProto.Dim dim = 2""",
    """TensorShapeProto.Dim
    int64 size = 1""",
    """TensorProto
    int32 dtype = 1
    TensorShapeProto tensor_shape = 2
    bytes tensor_content = 4
    repeated float float_val = 5
    repeated bytes string_val = 8""",
    """Summary
    repeated Summary.Value value = 1""",
    """Summary.Image
    int32 height = 1
    int32 width = 2
    int32 colorspace = 3
    bytes encoded_image_string = 4""",
    """Summary.Value
    string tag = 1
    oneof value: float simple_value = 2
    oneof value: Summary.Image image = 4
    oneof value: HistogramProto histo = 5
    oneof value: TensorProto tensor = 8
    SummaryMetadata metadata = 9""",
    """SessionLog
    int32 status = 1
    string checkpoint_path = 2
    string msg = 3""",
    """Event
    double wall_time = 1
    int64 step = 2
    oneof what: string file_version = 3
    oneof what: bytes graph_def = 4
    oneof what: Summary summary = 5
    oneof what: SessionLog session_log = 7""",
    """AttrValue
    oneof value: bytes s = 2
    oneof value: int64 i = 3""",
    """NodeDef
    string name = 1
    string op = 2
    repeated string input = 3
    string device = 4
    map<string, AttrValue> attr = 5""",
    """GraphDef
    repeated NodeDef node = 1""",
)


def _message(name: str) -> MessageType:
    return MessageType(name, _MESSAGES, f"tf.{name}")


HistogramProto = _message("HistogramProto")
SummaryMetadata = _message("SummaryMetadata")
TensorProto = _message("TensorProto")
Summary = _message("Summary")
SESSION_START, SESSION_CHECKPOINT = 1, 3
SessionLog = _message("SessionLog")
Event = _message("Event")
GraphDef = _message("GraphDef")
