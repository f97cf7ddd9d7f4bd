import { patched } from '../../base/fields.ts'
import type { Context } from '../../http/context.ts'
import { rotateEndpoint as rotateKey } from '../../endpoint/endpoint-key.ts'
import { forgetEndpoint } from '../../store/owner.ts'
import { changeRecord, removeRecord } from '../../resource/records.ts'
import { assertEnabled, assertNotArchived, statesOf } from '../../endpoint/states.ts'
import type { Stored } from '../../store/entity.ts'
import type { DkeEndpoint, UpdateDkeEndpoint } from './model.ts'
import { dkeEndpointKind } from './records.ts'
import { DKE_OWNER } from './store.ts'

type Changed = Promise<Stored<DkeEndpoint>>

/**
 * Changes the fields of the body; `key_uri` follows the host.
 * @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT for an archived endpoint
 */
export const updateEndpoint = (context: Context, id: string, body: UpdateDkeEndpoint): Changed =>
  changeRecord(dkeEndpointKind, context, id, (endpoint) => {
    assertNotArchived(dkeEndpointKind, endpoint)
    return patched(endpoint, body)
  })

/** An archived endpoint can still be viewed, recovered, deleted and taken out of its job. */
export const states = statesOf(dkeEndpointKind)

/**
 * A new version of the local key: clients are given it from now on, and documents of earlier versions still open. Ours: a
 * disabled endpoint is not rotated, as an EKM endpoint is not.
 * @throws Refusal NOT_FOUND, VERSION_STALE, ACTION_DENIED, STATE_CONFLICT unless the endpoint is enabled and its local key
 * Active
 */
export const rotateEndpoint = (context: Context, id: string): Changed =>
  rotateKey(dkeEndpointKind, context, id, (endpoint) => assertEnabled(dkeEndpointKind, endpoint))

/** Deletes an endpoint. Its key stays, and its address becomes unknown. @throws Refusal NOT_FOUND, VERSION_STALE */
export async function deleteEndpoint(context: Context, id: string): Promise<void> {
  await removeRecord(dkeEndpointKind, context, id)
  forgetEndpoint(context.changes, DKE_OWNER, id)
}
