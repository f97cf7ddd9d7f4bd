import { Refusal } from '../../base/errors.ts'
import { patched, without } from '../../base/fields.ts'
import type { Context } from '../../http/context.ts'
import { rotateEndpoint as rotateKey } from '../../serving/managed/endpoint-key.ts'
import { changeRecord, removeRecord } from '../../serving/managed/records.ts'
import type { Stored } from '../../store/entity.ts'
import type { DkeEndpoint, UpdateDkeEndpoint } from './model.ts'
import { assertNotArchived, dkeEndpointKind } from './records.ts'
import { forgetEndpoint, type StoredDkeEndpoint } from './store.ts'

type Changed = Promise<Stored<DkeEndpoint>>

/**
 * Changes the fields of the body; `key_uri` follows the host.
 * @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT for an archived endpoint
 */
export const updateEndpoint = (context: Context, id: string, body: UpdateDkeEndpoint): Changed =>
  changeRecord(dkeEndpointKind, context, id, (endpoint) => {
    assertNotArchived(endpoint)
    return patched(endpoint, body)
  })

const setStatus = (status: 'Enabled' | 'Disabled') => (context: Context, id: string) =>
  changeRecord(dkeEndpointKind, context, id, (endpoint) => {
    assertNotArchived(endpoint)
    if (endpoint.status !== status) return { ...endpoint, status }
    throw new Refusal('STATE_CONFLICT', `The DKE endpoint ${endpoint.name} is ${status} already.`)
  })

/** @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT unless it is disabled */
export const enableEndpoint = setStatus('Enabled')
/** @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT unless it is enabled */
export const disableEndpoint = setStatus('Disabled')

/**
 * Puts an endpoint away: it opens no documents, and only viewing, recovering, deleting it and taking it out of its job
 * remain. Its key stays.
 * @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT when it is archived already
 */
export const archiveEndpoint = (context: Context, id: string): Changed =>
  changeRecord(dkeEndpointKind, context, id, (endpoint): StoredDkeEndpoint => {
    assertNotArchived(endpoint)
    return { ...endpoint, status: 'Archived', archived_at: context.now.toISOString() }
  })

/** The way back, to a disabled endpoint. @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT unless it is archived */
export const recoverEndpoint = (context: Context, id: string): Changed =>
  changeRecord(dkeEndpointKind, context, id, (endpoint): StoredDkeEndpoint => {
    if (endpoint.status === 'Archived') return { ...without(endpoint, 'archived_at'), status: 'Disabled' }
    throw new Refusal('STATE_CONFLICT', `The DKE endpoint ${endpoint.name} is not archived.`)
  })

/**
 * A new version of the local key: clients are given it from now on, and documents of earlier versions still open. Ours: a
 * disabled endpoint is not rotated, as an EKM endpoint is not.
 * @throws Refusal NOT_FOUND, VERSION_STALE, ACTION_DENIED, STATE_CONFLICT unless the endpoint is enabled and its local key
 * Active
 */
export const rotateEndpoint = (context: Context, id: string): Changed =>
  rotateKey(dkeEndpointKind, context, id, (endpoint) => {
    assertNotArchived(endpoint)
    if (endpoint.status === 'Disabled')
      throw new Refusal('STATE_CONFLICT', `The DKE endpoint ${endpoint.name} is disabled.`)
  })

/** Deletes an endpoint. Its key stays, and its address becomes unknown. @throws Refusal NOT_FOUND, VERSION_STALE */
export async function deleteEndpoint(context: Context, id: string): Promise<void> {
  await removeRecord(dkeEndpointKind, context, id)
  forgetEndpoint(context.changes, id)
}
