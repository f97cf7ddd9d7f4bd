import { Refusal } from '../../../base/errors.ts'
import type { Fields } from '../../../base/json.ts'
import { isEkmAlgorithm, type EkmAlgorithmName } from '../../../crypto/protocols/ekm-algorithms.ts'
import { recordOnBehalf, type OnBehalf } from '../../../http/on-behalf.ts'
import { Changes } from '../../../store/changes.ts'
import type { EkmRecord } from '../data/admit.ts'
import { EkmRefusal } from '../data/errors.ts'
import { invalid, textIn } from '../data/message.ts'
import type { RequestContext } from '../data/request-context.ts'
import type { SpaceCall } from './address.ts'
import { isAllowed } from './decide.ts'
import { makeEndpoint } from './make-endpoint.ts'
import type { StoredCryptoSpace } from './store.ts'

/** A call by an authenticated caller on a space that is not blocked. */
export interface CallOnSpace {
  readonly domain: string
  readonly space: StoredCryptoSpace
  readonly email: string
  readonly ip: string
  readonly fields: Fields
  readonly context: RequestContext
  readonly record: EkmRecord
  readonly now: Date
  readonly requestId: string
}

/** The cloud's name for AES-256, besides ours. */
const SYMMETRIC = 'EXTERNAL_SYMMETRIC_ENCRYPTION'
const NAME_CHARACTERS = 128

/** @throws EkmRefusal INVALID_ARGUMENT */
function algorithmIn(fields: Fields): EkmAlgorithmName {
  const name = textIn(fields, 'algorithm', NAME_CHARACTERS)
  if (name === '' || name === SYMMETRIC) return 'AES256'
  if (!isEkmAlgorithm(name)) throw invalid('algorithm must be one that endpoints have.')
  return name
}

const onBehalfOf = ({ domain, email, ip, now, requestId }: CallOnSpace): OnBehalf => ({
  initiator: { sub: email, username: email, domain: { id: domain, name: '' }, homeDomainId: domain, groups: ['admin'] },
  now,
  traceId: requestId,
  clientIp: ip,
  summary: 'Create EKM Endpoint',
  fingerprint: requestId,
  action: 'asked for by the cloud in a crypto space',
})

/** Writes the audit record of a refusal: log lines of this function become none. */
async function recordRefused(call: CallOnSpace, refusal: Refusal): Promise<void> {
  const changes = new Changes()
  recordOnBehalf(changes, onBehalfOf(call), { uri: call.space.uri, name: call.space.name }, refusal)
  await changes.commit(call.now)
}

/** POST …/cryptospaces/{id}:createKey. Answers the path of the new key. */
async function createKey(call: CallOnSpace): Promise<object> {
  const { space, fields, record } = call
  const algorithm = algorithmIn(fields)
  const allowed = await isAllowed(space, 'createKey', call)
  record.rule = allowed ? 'allow' : 'no allow'
  if (!allowed) {
    await recordRefused(call, new Refusal('ACTION_DENIED', `The policy of the crypto space ${space.name} refused.`))
    throw new EkmRefusal('PERMISSION_DENIED')
  }
  const endpoint = await makeEndpoint(onBehalfOf(call), space.id, algorithm)
  record.endpoint = endpoint.id
  return { keyPath: endpoint.key_path }
}

/** Operations that a policy decides about, by the names of permissions in either spelling. */
const OPERATIONS: ReadonlyMap<string, string> = new Map(
  ['createKey', 'destroyKey', 'wrap', 'unwrap', 'asymmetricSign', 'asymmetricVerify', 'getPublicKey'].flatMap(
    (verb) => [[verb, verb] as const, [verb.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase(), verb] as const],
  ),
)
const PERMISSIONS_MOST = 32

/** @throws EkmRefusal INVALID_ARGUMENT */
function permissionsIn({ permissions = [] }: Fields): string[] {
  const isList = Array.isArray(permissions) && permissions.length <= PERMISSIONS_MOST
  if (!isList || !permissions.every((one): one is string => typeof one === 'string'))
    throw invalid(`permissions must be a list of at most ${PERMISSIONS_MOST} names.`)
  return permissions
}

/**
 * POST …/cryptospaces/{id}:checkCryptoSpacePermissions. Answers which of the permissions the caller has. The policy is
 * evaluated once for each operation, however often it is named.
 */
async function checkPermissions(call: CallOnSpace): Promise<object> {
  const asked = permissionsIn(call.fields).map((name) => ({ name, operation: OPERATIONS.get(name) ?? '' }))
  const granted = new Set<string>()
  for (const operation of new Set(asked.map((one) => one.operation)))
    if (operation !== '' && (await isAllowed(call.space, operation, call))) granted.add(operation)
  return { permissions: asked.filter(({ operation }) => granted.has(operation)).map(({ name }) => name) }
}

export const CALLS: Readonly<Record<SpaceCall, (call: CallOnSpace) => Promise<object>>> = {
  createKey,
  checkCryptoSpacePermissions: checkPermissions,
}
