import { hash } from 'node:crypto'
import { isBufferJson } from '../../toolkit/journal.ts'
import { ownText } from '../../toolkit/own-text.ts'
import { newOcid } from '../directory/ocids.ts'
import { opened, sealed } from '../keys/ciphertexts.ts'
import { describeKey } from '../keys/describe.ts'
import { keyToChange } from '../keys/operations.ts'
import type { HeldKey, HeldVault } from '../state/held.ts'
import { begin } from '../state/passing-time.ts'
import { requiredObject, requiredText, wordAt } from '../wire/body.ts'
import type { Call, Route } from '../wire/call.ts'
import { resource, type Reply } from '../wire/reply.ts'
import { incorrectState, invalid, notFound, relatedNotFound } from '../wire/errors.ts'
import { activeVault, requireState } from '../wire/found.ts'
import { keyProvision } from '../wire/route.ts'
import { bucketNamed, objectName } from './buckets.ts'

const NOTHING = Buffer.alloc(0)

/** The object in a request, in a bucket of the vault's region. @throws ApiError */
function objectIn(call: Call): string {
  const location = requiredObject(call.body, 'backupLocation')
  const destination = wordAt(location, 'destination', ['BUCKET', 'PRE_AUTHENTICATED_REQUEST_URI'])
  if (destination !== 'BUCKET') throw invalid('backupLocation.destination must be BUCKET here.')
  const [namespace, name] = [requiredText(location, 'namespace'), requiredText(location, 'bucketName')]
  const bucket = bucketNamed(call, namespace, name)
  if (bucket === undefined) throw relatedNotFound(`The bucket '${name}'`)
  return objectName(bucket, requiredText(location, 'objectName'))
}

/** Backups are encrypted with a key of their vault. */
const backupKey = async ({ state }: Call, vault: HeldVault): Promise<Buffer> => {
  const wrappingKey = await state.wrappingKey(vault)
  return hash('sha256', wrappingKey.export({ format: 'der', type: 'pkcs8' }), 'buffer')
}

/** Only hardware keys of virtual private vaults have backups. @throws ApiError InvalidParameter */
function requireBackups({ vaultType }: HeldVault, { protectionMode }: Pick<HeldKey, 'protectionMode'>): void {
  if (vaultType === 'VIRTUAL_PRIVATE' && protectionMode === 'HSM') return
  throw invalid('Backups are for keys with protection mode HSM in virtual private vaults.')
}

const started = (key: HeldKey): Reply => {
  const { body, headers } = resource(key, describeKey(key))
  return { body, headers: { ...headers, 'opc-work-request-id': newOcid('workrequest', key.id) } }
}

async function backup(call: Call): Promise<Reply> {
  const { state } = call
  const key = keyToChange(call, 'manage')
  const vault = activeVault(call)
  requireBackups(vault, key)
  requireState('The key', key, 'ENABLED', 'DISABLED')
  const name = objectIn(call)
  for (const version of key.versions) if (version.state !== 'DELETED') await state.bytesOf(key, version)
  const sealing = await backupKey(call, vault)
  requireState('The key', key, 'ENABLED', 'DISABLED') // it may have changed meanwhile
  const content = sealed(sealing, key.id, NOTHING, Buffer.from(KEY.write(key)))
  begin(key, 'BACKUP_IN_PROGRESS', key.state, state.endsAt())
  state.saveObject({ name, createdAt: state.now(), content: content.toString('base64') })
  state.saveKeys([key])
  return started(key)
}

/** @throws ApiError RelatedResourceNotAuthorizedOrNotFound, InvalidParameter unless it is a backup of this vault */
async function backupIn(call: Call, vault: HeldVault): Promise<HeldKey> {
  const name = objectIn(call)
  const object = call.state.object(name)
  if (object === undefined) throw relatedNotFound('The object')
  const text = opened(await backupKey(call, vault), NOTHING, Buffer.from(object.content, 'base64')).toString()
  return KEY.read(text, bytesRevived)
}

const KEY = ownText<HeldKey>()
const bytesRevived = (_name: string, value: unknown): unknown => (isBufferJson(value) ? Buffer.from(value.data) : value)

/** Restores a deleted key with its id. An existing key is not replaced. */
async function restore(call: Call): Promise<Reply> {
  const { state } = call
  const vault = activeVault(call)
  const found = await backupIn(call, vault)
  if (found.vaultId !== vault.id) throw notFound()
  call.require('manage', found.compartmentId)
  const present = state.key(found.id)
  if (present !== undefined && present.state !== 'DELETED') throw incorrectState('The key exists.')
  const key: HeldKey = { ...found, revision: (present?.revision ?? found.revision) + 1 }
  begin(key, 'RESTORING', found.state, state.endsAt())
  state.saveKeys([key])
  return started(key)
}

export const backupRoutes: readonly Route[] = [
  keyProvision('BackupKey', '/keys/{keyId}/actions/backup', backup),
  keyProvision('RestoreKeyFromObjectStore', '/keys/actions/restoreFromObjectStore', restore),
]
