import { nameTaken, Refusal } from '../../../base/errors.ts'
import { defined, patched, without } from '../../../base/fields.ts'
import { commonFields, uuid } from '../../../base/ids.ts'
import { addContainer, changeContainer, removeContainer } from '../../../cloud/containers/change-container.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { forgetEndpoint, leadToEndpoint } from '../../../store/owner.ts'
import { NAME, uriOfStore } from '../identifiers.ts'
import { certificateFields } from './certificate.ts'
import { keystoreKind } from './kind.ts'
import type { CreateDatacustKeystore, DatacustKeystore, UpdateDatacustKeystore } from './model.ts'
import { KEYSTORE_OWNER, type StoredDatacustKeystore } from './store.ts'

type Shown = Promise<Stored<DatacustKeystore>>

const conflict = (sentence: string): Refusal => new Refusal('STATE_CONFLICT', sentence)
const taken = (name: string): Refusal => nameTaken(keystoreKind.noun, name)

/** @throws Refusal NAME_TAKEN, RULE_BROKEN for the certificate */
export async function createKeystore(context: Context, body: CreateDatacustKeystore): Shown {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const id = await context.once('id of the external key store', () => Promise.resolve(uuid(now)))
  leadToEndpoint(changes, KEYSTORE_OWNER, domain, id)
  const keystore: StoredDatacustKeystore = {
    ...commonFields(domain, id, uriOfStore(domain, id), now),
    ...without(body, 'description'),
    ...defined({ description: body.description }),
    ...certificateFields(body.certificate, now),
    cloud_name: NAME,
    state: 'ACTIVE',
    blocked: false,
    key_count: 0,
    acls: [],
  }
  return addContainer(keystoreKind, context, keystore, taken)
}

/**
 * Changes a key store; another certificate refuses the former one from the next call on.
 * @throws Refusal NOT_FOUND, VERSION_STALE, NAME_TAKEN, STATE_CONFLICT for an archived one, RULE_BROKEN
 */
export const updateKeystore = (context: Context, id: string, body: UpdateDatacustKeystore): Shown =>
  changeContainer(keystoreKind, context, id, (keystore) => {
    keystoreKind.assertActive?.(keystore)
    const after = patched(keystore, body)
    return body.certificate === undefined ? after : { ...after, ...certificateFields(body.certificate, context.now) }
  })

const setBlocked =
  (blocked: boolean) =>
  (context: Context, id: string): Shown =>
    changeContainer(keystoreKind, context, id, (keystore) => {
      if (keystore.blocked !== blocked) return { ...keystore, blocked }
      throw conflict(`The external key store ${keystore.name} is ${blocked ? 'blocked already' : 'not blocked'}.`)
    })

/** Refuses the platform's calls from the next one on. @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT */
export const blockKeystore = setBlocked(true)
export const unblockKeystore = setBlocked(false)

/** Archives a key store: it refuses all calls and changes. @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT */
export const archiveKeystore = (context: Context, id: string): Shown =>
  changeContainer(keystoreKind, context, id, (keystore): StoredDatacustKeystore => {
    keystoreKind.assertActive?.(keystore)
    return { ...keystore, state: 'ARCHIVED', archived_at: context.now.toISOString() }
  })

/** @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT unless archived */
export const recoverKeystore = (context: Context, id: string): Shown =>
  changeContainer(keystoreKind, context, id, (keystore): StoredDatacustKeystore => {
    if (keystore.state !== 'ARCHIVED') throw conflict(`The external key store ${keystore.name} is not archived.`)
    return { ...without(keystore, 'archived_at'), state: 'ACTIVE' }
  })

/** @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT unless archived, IN_USE while it has keys */
export const removeKeystore = (context: Context, id: string): Promise<void> =>
  removeContainer(keystoreKind, context, id, ({ name, state, key_count }) => {
    if (key_count > 0)
      throw new Refusal('IN_USE', `The external key store ${name} has ${key_count} keys: delete them first.`)
    if (state !== 'ARCHIVED') throw conflict(`The external key store ${name} is not archived: archive it first.`)
    forgetEndpoint(context.changes, KEYSTORE_OWNER, id)
    return Promise.resolve()
  })
