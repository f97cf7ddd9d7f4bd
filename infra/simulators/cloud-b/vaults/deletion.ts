import type { Reply } from '../wire/arrived.ts'
import { describeDeletion } from './attributes.ts'
import { open, seal, type BackedUp } from './backups.ts'
import { base64url, requiredBytes } from '../wire/body.ts'
import { badParameter, conflict, forbidden, refusal } from '../wire/errors.ts'
import { deleted, inTransit, joined, live, NOUNS, requireUnmanaged } from './found.ts'
import { DAY_MS, type Held, type HeldItem, type HeldVersion, type Kind, type KeyVersion } from './held.ts'
import { requireKty } from '../keys/key-rules.ts'
import { listDeleted } from './lists.ts'
import { ok, routesOf, type VaultCall, type VaultRoute } from './vault-call.ts'

/** Functions that describe items of one kind. */
interface Shown<K extends Kind> {
  readonly bundle: (call: VaultCall, item: Held[K]) => object | Promise<object>
  readonly item: (call: VaultCall, item: Held[K]) => object
}

/** Items that are deleted and recovered together: a certificate has a key and a secret. */
const PARTS: Readonly<Record<Kind, readonly Kind[]>> = {
  keys: ['keys'],
  secrets: ['secrets'],
  certificates: ['certificates', 'keys', 'secrets'],
}

function eachPart({ state, vault }: VaultCall, kind: Kind, name: string, act: (kind: Kind, item: Held[Kind]) => void) {
  for (const part of PARTS[kind]) {
    const item: HeldItem<HeldVersion> | undefined = state.item(part, vault.name, name)
    if (item !== undefined && (part === kind || item.managed === true)) act(part, item as Held[Kind])
  }
}

/** @throws ApiError NotSupported in a vault without soft delete */
function requireSoftDelete({ vault, operation }: VaultCall): void {
  if (!vault.softDelete)
    throw refusal(400, 'NotSupported', `Operation ${operation} is not enabled for this vault: soft delete is off.`)
}

async function remove<K extends Kind>(call: VaultCall, kind: K, shown: Shown<K>): Promise<Reply> {
  const { state, vault, name } = call
  const item = live(call, kind, name)
  requireUnmanaged(kind, item)
  if (item.versions.length === 0) throw conflict(`The first version of ${name} is still on its way.`)
  const bundle = await shown.bundle(call, item)
  const at = state.now()
  eachPart(call, kind, name, (part, each) => {
    if (!vault.softDelete) {
      state.forget(part, vault.name, each.name)
      return
    }
    each.deleted = { at, purgeAt: at + vault.retentionDays * DAY_MS }
    each.transit = inTransit(call, 'deleting', state.delays().deletion)
    state.save(part, [each])
  })
  return ok({ ...bundle, ...describeDeletion(call, `deleted${kind}`, item) })
}

async function recover<K extends Kind>(call: VaultCall, kind: K, shown: Shown<K>): Promise<Reply> {
  requireSoftDelete(call)
  const { state, name } = call
  const item = deleted(call, kind, name)
  requireUnmanaged(kind, item)
  eachPart(call, kind, name, (part, each) => {
    each.deleted = undefined
    each.transit = inTransit(call, 'recovering', state.delays().recovery)
    state.save(part, [each])
  })
  return ok(await shown.bundle(call, item))
}

function purge(call: VaultCall, kind: Kind): Reply {
  requireSoftDelete(call)
  const { state, vault, name } = call
  requireUnmanaged(kind, deleted(call, kind, name))
  if (vault.purgeProtection)
    throw forbidden(
      `Operation "purge" is not allowed because purge protection is enabled for this vault. Key Vault service will automatically purge it after the retention period has passed.\r\nVault: ${vault.name};location=${vault.location}`,
      'ForbiddenByPolicy',
    )
  eachPart(call, kind, name, (part, each) => state.forget(part, vault.name, each.name))
  return { status: 204 }
}

function backUp(call: VaultCall, kind: Kind): Reply {
  const { state, vault, name } = call
  requireUnmanaged(kind, live(call, kind, name))
  const things: Partial<Record<Kind, object>> = {}
  eachPart(call, kind, name, (part, item) => {
    things[part] = item
  })
  return ok({ value: base64url(seal(state, vault, kind, things as BackedUp)) })
}

/** Restores all versions with their ids and states. */
async function restore<K extends Kind>(call: VaultCall, kind: K, shown: Shown<K>): Promise<Reply> {
  const { state, vault, body } = call
  const things = open(state, vault, kind, requiredBytes(body, 'value'))
  const parts = Object.entries(things) as readonly [Kind, Held[Kind]][]
  for (const [part, item] of parts) {
    if (joined(call, part, item.name) !== undefined)
      throw refusal(409, 'Conflict', `The name ${item.name} is already in use in this vault.`)
    if (part === 'keys') item.versions.forEach((version) => requireKty(vault, (version as KeyVersion).kty))
  }
  for (const [part, item] of parts) state.save(part, [{ ...item, vault: vault.name }])
  const restored = things[kind]
  if (restored === undefined) throw badParameter('Cannot decrypt backup blob.')
  return ok(await shown.bundle(call, live(call, kind, restored.name)))
}

async function getDeleted<K extends Kind>(call: VaultCall, kind: K, shown: Shown<K>): Promise<Reply> {
  requireSoftDelete(call)
  const item = deleted(call, kind, call.name)
  return ok({ ...(await shown.bundle(call, item)), ...describeDeletion(call, `deleted${kind}`, item) })
}

function allDeleted<K extends Kind>(call: VaultCall, kind: K, shown: Shown<K>): Reply {
  requireSoftDelete(call)
  return listDeleted(call, kind, (item) => ({
    ...shown.item(call, item),
    ...describeDeletion(call, `deleted${kind}`, item),
  }))
}

/** Deletion, recovery, backup and restore, which are the same for all kinds. */
export function deletionRoutes<K extends Kind>(kind: K, shown: Shown<K>): readonly VaultRoute[] {
  const noun = NOUNS[kind]
  const { get, post, remove: REMOVE } = routesOf(kind !== 'keys')
  const one = `/deleted${kind}/{name}`
  return [
    post(`${noun}Restore`, `/${kind}/restore`, `${kind}/restore`, (call) => restore(call, kind, shown)),
    post(`${noun}Backup`, `/${kind}/{name}/backup`, `${kind}/backup`, (call) => backUp(call, kind)),
    REMOVE(`${noun}Delete`, `/${kind}/{name}`, `${kind}/delete`, (call) => remove(call, kind, shown)),
    get(`${noun}ListDeleted`, `/deleted${kind}`, `${kind}/list`, (call) => allDeleted(call, kind, shown)),
    get(`${noun}GetDeleted`, one, `${kind}/get`, (call) => getDeleted(call, kind, shown)),
    post(`${noun}Recover`, `${one}/recover`, `${kind}/recover`, (call) => recover(call, kind, shown)),
    REMOVE(`${noun}Purge`, one, `${kind}/purge`, (call) => purge(call, kind)),
  ]
}
