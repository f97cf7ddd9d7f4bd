import { record } from '../events/events.ts'
import { fullId } from '../state/ids.ts'
import type { HeldSecret, SecretStatus } from '../state/held.ts'
import { bytesIn } from '../wire/body.ts'
import type { Call } from '../wire/call.ts'
import type { Reply } from '../wire/reply.ts'
import { broken, notFound } from '../wire/errors.ts'
import { activate } from './active.ts'
import { materialIn } from './exports.ts'
import { choiceIn, fieldsIn, type Given } from './fields.ts'
import { requireRoom } from './limits.ts'
import { fetched, sourceIn } from './register.ts'
import { RULES } from './rules.ts'

type Step = (call: Call, secret: HeldSecret, given: Given) => void | Promise<void>

const STATUSES = ['ACTIVE', 'ARCHIVED', 'DESTROYED'] as const

/**
 * Changes of status, by `<from> <to>`. Ours: a cache-only key is activated only from DESTROYED, which is the documented
 * case.
 */
const KEPT_CHANGES: Readonly<Record<string, Step>> = { 'ARCHIVED DESTROYED': destroy }
const REMOTE_CHANGES: Readonly<Record<string, Step>> = {
  'ACTIVE DESTROYED': destroy,
  'ARCHIVED DESTROYED': destroy,
  'DESTROYED ACTIVE': reactivate,
}

/** PATCH TenantSecret. @throws ApiError */
export async function updateSecret(call: Call): Promise<Reply> {
  const { state, organization, user } = call
  const id = fullId(call.param('id'))
  const secret = state.secrets(organization.id).find((each) => each.id === id)
  if (secret === undefined || !user.permissions.includes('ManageEncryptionKeys')) throw notFound()
  const given = fieldsIn(call, 'update')
  await stepFor(secret, given)?.(call, secret, given)
  if (given.Description !== undefined) secret.description = given.Description
  Object.assign(secret, { changedAt: state.now(), changedBy: user.id })
  state.save('secret', [secret])
  return { status: 204 }
}

/** @throws ApiError for a change that does not exist */
function stepFor(secret: HeldSecret, given: Given): Step | undefined {
  const status: SecretStatus = choiceIn(given, 'Status', STATUSES) ?? secret.status
  if (given.SecretValue !== undefined) return importAgain
  if (status !== secret.status) {
    const changes = secret.source === 'REMOTE' ? REMOTE_CHANGES : KEPT_CHANGES
    const step = RULES[secret.type].isManaged ? changes[`${secret.status} ${status}`] : undefined
    if (step !== undefined) return step
    throw broken(
      `A tenant secret of the source ${secret.source} cannot change from ${secret.status} to ${status}.`,
      'Status',
    )
  }
  const isMoved = given.RemoteKeyServiceId !== undefined || given.RemoteKeyCertificate !== undefined
  return isMoved ? move : undefined
}

function destroy(call: Call, secret: HeldSecret): void {
  secret.material?.fill(0)
  Object.assign(secret, { status: 'DESTROYED', material: undefined, retries: undefined })
  record(call, secret, 'TS Destroyed')
}

async function reactivate(call: Call, secret: HeldSecret, given: Given): Promise<void> {
  requireRoom(call, secret.type)
  await move(call, secret, given)
  activate(call.state, secret, call.user)
}

/** Fetches a cache-only key, from another place if the request names one. */
async function move(call: Call, secret: HeldSecret, given: Given): Promise<void> {
  if (secret.remote === undefined) throw broken('Only cache-only keys are fetched.', 'RemoteKeyServiceId')
  const remote = sourceIn(call, given, secret.remote)
  const material = await fetched(call, remote)
  Object.assign(secret, { remote, material, fetchedAt: call.state.now() })
  record(call, secret, 'Key Delivered')
}

/** Imports the exported material of a destroyed secret. */
function importAgain(call: Call, secret: HeldSecret, given: Given): void {
  const status = choiceIn(given, 'Status', STATUSES) ?? 'ARCHIVED'
  const isImportable = secret.source !== 'REMOTE' && RULES[secret.type].isManaged
  if (!isImportable || secret.status !== 'DESTROYED' || status !== 'ARCHIVED')
    throw broken('Only a destroyed tenant secret can be imported, and it is archived then.', 'SecretValue')
  requireRoom(call, secret.type)
  const material = materialIn(call.organization, secret.id, bytesIn(given.SecretValue ?? '') ?? Buffer.alloc(0))
  if (material === undefined) throw broken('The value was not exported from this tenant secret.', 'SecretValue')
  Object.assign(secret, { status, material })
  record(call, secret, 'TS Imported')
}
