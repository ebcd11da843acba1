"""Calls of TableService over the wire."""

import uuid

from proto.stud.v1 import stud_pb2

TABLE_METHODS = {method.name: method for method in stud_pb2.DESCRIPTOR.services_by_name["TableService"].methods}


def uuid_text():
    return str(uuid.uuid4())


async def call(wire, rpc, bearer="operator", **fields):
    """Call an RPC of TableService with some fields."""
    request_class = getattr(stud_pb2, TABLE_METHODS[rpc].input_type.name)
    return await getattr(wire.tables, rpc)(request_class(**fields), **wire.options(bearer))


async def act(wire, table_id, kind, to=0, bearer="operator", **fields):
    action = stud_pb2.Action(kind=getattr(stud_pb2, f"ACTION_KIND_{kind.upper()}"), to=to)
    if bearer == "operator" and "seat" not in fields:
        fields["seat"] = (await wire.get(table_id)).to_act_seat
    return await call(wire, "Act", bearer, table_id=table_id, action=action, **fields)


async def act_passively(wire, table_id, **fields):
    """Take the first of the cheap actions that is legal."""
    table = await wire.get(table_id)
    legal = {legal.kind: legal for legal in table.legal_actions}
    kinds = ("CHECK", "CALL", "BRING_IN", "BUY", "DECLINE")
    kind = next(kind for kind in kinds if getattr(stud_pb2, f"ACTION_KIND_{kind}") in legal)
    return await act(wire, table_id, kind, seat=table.to_act_seat, **fields)


async def play_to_showdown(wire, table_id):
    table = await wire.deal(table_id)
    while table.status == stud_pb2.TABLE_STATUS_PLAYING:
        table = (await act_passively(wire, table_id)).table
    return table
