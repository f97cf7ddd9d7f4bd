import { createPublicKey } from 'node:crypto'
import { privateKeyOf } from '../../toolkit/key-pairs.ts'
import { fits, groupsOf, groupWithId } from '../groups/operations.ts'
import type { HeldKey } from '../state/held.ts'
import { flagAt, integerAt, optionalText, requireOnly, textAt, type Body } from '../wire/body.ts'
import type { Call, Reply, Route } from '../wire/call.ts'
import { conflict, invalid } from '../wire/errors.ts'
import { filterIn, pageOf } from '../wire/lists.ts'
import { backUp, restore } from './backups.ts'
import { describeKey, describeVersion, newestOf } from './describe.ts'
import { kindIn, newKeyIn, operationsIn } from './fields.ts'
import { keyWithId, readyKey, versionOf, type FoundKey } from './found.ts'
import { createImportKey, unwrapKey } from './import.ts'
import { sizeOfCurve, type KindRow } from './kinds.ts'
import { addVersion, madeKey } from './made.ts'

const KEY_MEMBERS = [
  ...['name', 'description', 'groupId', 'enabled', 'imported', 'operations', 'type', 'size', 'curve', 'role'],
  ...['exportable', 'nativeId'],
]

const reply = ({ state }: Call, { key, group }: FoundKey, status = 200): Reply => ({
  status,
  body: describeKey(key, state.now(), group.provider),
})

function listKeys(call: Call): Reply {
  const filter = filterIn(call, ['id', 'groupId', 'name', 'type'])
  const groups = new Map(groupsOf(call).map((group) => [group.id, group]))
  const found = call.state.keys(call.caller.tenant.id).flatMap((key) => {
    const group = groups.get(key.groupId)
    return group !== undefined && fits(filter, { ...key }) ? [{ key, group }] : []
  })
  return pageOf(
    call,
    found.map(({ key, group }) => describeKey(key, call.state.now(), group.provider)),
  )
}

/** Size, and the curve of an EC key. @throws ApiError 400 */
function sizeIn(body: Body, type: HeldKey['type'], { sizes }: KindRow): Pick<HeldKey, 'size' | 'curve'> {
  const curve = optionalText(body, 'curve')
  if ((type === 'EC') !== (curve !== undefined)) throw invalid('EC keys have a curve, and others have none.')
  const size = curve === undefined ? integerAt(body, 'size') : sizeOfCurve(curve)
  if (size === undefined || !sizes.includes(size)) throw invalid('The size or curve is not possible for this key.')
  return { size, ...(curve !== undefined && { curve }) }
}

async function createKey(call: Call): Promise<Reply> {
  const { body, state } = call
  if (body.targetKeyId !== undefined) return createImportKey(call)
  requireOnly(body, KEY_MEMBERS)
  const group = groupWithId(call, textAt(body, 'groupId'))
  const imported = flagAt(body, 'imported') ?? false
  if (imported && group.provider !== 'AWS') throw invalid('Material for this group is imported with its key.')
  const fields = newKeyIn(body, group)
  const kind = kindIn(group, fields.type)
  const held =
    group.provider === 'CUSTOMER_HELD' ? await call.stores.describe(call.caller.tenant.id, group, body) : undefined
  const key = madeKey(call, group, fields, { imported, ...(held ?? sizeIn(body, fields.type, kind)) })
  if (!imported && held === undefined) addVersion(key, state.now())
  state.saveKeys([key])
  return reply(call, { key, group }, 201)
}

function updateKey(call: Call): Reply {
  const found = readyKey(call)
  const { key, group } = found
  const { body, state } = call
  requireOnly(body, ['name', 'description', 'operations', 'enabled'])
  const operations = body.operations === undefined ? key.operations : operationsIn(body, kindIn(group, key.type))
  Object.assign(key, {
    name: optionalText(body, 'name') ?? key.name,
    description: optionalText(body, 'description') ?? key.description,
    operations,
    enabled: flagAt(body, 'enabled') ?? key.enabled,
    changedAt: state.now(),
  })
  state.saveKeys([key])
  return reply(call, found)
}

function deleteKey(call: Call): Reply {
  const { key } = readyKey(call)
  const isUsed = call.state.references(key.tenantId).some(({ keyId }) => keyId === key.id)
  if (isUsed) throw conflict('A dynamic key reference uses the key.')
  call.state.forgetKey(key.id)
  return { status: 204 }
}

function createVersion(call: Call): Reply {
  const { key, group } = readyKey(call)
  requireOnly(call.body, [])
  if (key.imported && group.provider === 'AWS') throw conflict('New material for this key must be imported.')
  if (group.provider === 'CUSTOMER_HELD') throw conflict('The customer makes versions of this key.')
  const version = addVersion(key, call.state.now())
  call.state.saveKeys([key])
  return { status: 201, body: describeVersion(key, version) }
}

function updateVersion(call: Call): Reply {
  const { key, group } = readyKey(call)
  const version = versionOf(key, call.param('version'))
  requireOnly(call.body, ['enabled', 'operations'])
  const enabled = flagAt(call.body, 'enabled') ?? version.enabled
  if (!enabled && version === newestOf(key)) throw conflict('The primary version cannot be disabled.')
  const operations =
    call.body.operations === undefined ? version.operations : operationsIn(call.body, kindIn(group, key.type))
  Object.assign(version, { enabled, operations })
  call.state.saveKeys([key])
  return { body: describeVersion(key, version) }
}

async function readPublicKey(call: Call): Promise<Reply> {
  const { key } = readyKey(call)
  const version = versionOf(key, call.param('version'))
  if (call.query.get('outputFormat') !== 'BASE64_DER') throw invalid('outputFormat must be BASE64_DER.')
  if (key.type === 'AES') throw invalid('AES keys have no public key.')
  const half = createPublicKey(privateKeyOf(await call.state.bytesOf(key, version)))
  return { body: { publicKey: half.export({ format: 'der', type: 'spki' }).toString('base64') } }
}

const versionPath = '/keys/{keyId}/versions/{version}'

export const keyRoutes: readonly Route[] = [
  { operation: 'ListKeys', method: 'GET', path: '/keys', run: listKeys },
  { operation: 'CreateKey', method: 'POST', path: '/keys', run: createKey },
  {
    ...{ operation: 'GetKey', method: 'GET', path: '/keys/{keyId}' },
    run: (call) => reply(call, keyWithId(call, call.param('keyId'))),
  },
  { operation: 'UpdateKey', method: 'PATCH', path: '/keys/{keyId}', run: updateKey },
  { operation: 'DeleteKey', method: 'DELETE', path: '/keys/{keyId}', run: deleteKey },
  { operation: 'CreateVersion', method: 'POST', path: '/keys/{keyId}/versions', run: createVersion },
  {
    ...{ operation: 'ListVersions', method: 'GET', path: '/keys/{keyId}/versions' },
    run: (call) => {
      const { key } = keyWithId(call, call.param('keyId'))
      return pageOf(
        call,
        key.versions.map((version) => describeVersion(key, version)),
      )
    },
  },
  {
    ...{ operation: 'GetVersion', method: 'GET', path: versionPath },
    run: (call) => {
      const { key } = keyWithId(call, call.param('keyId'))
      return { body: describeVersion(key, versionOf(key, call.param('version'))) }
    },
  },
  { operation: 'UpdateVersion', method: 'PATCH', path: versionPath, run: updateVersion },
  { operation: 'GetPublicKey', method: 'GET', path: `${versionPath}/publicKey`, run: readPublicKey },
  { operation: 'UnwrapKey', method: 'POST', path: '/crypto/unwrap', run: unwrapKey },
  // ours: the real calls for backups are not public
  { operation: 'BackUpKey', method: 'POST', path: '/keys/{keyId}/backup', run: backUp },
  { operation: 'RestoreKey', method: 'POST', path: '/keys/restore', run: restore },
]
