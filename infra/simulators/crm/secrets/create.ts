import { randomBytes } from 'node:crypto'
import { record, type Action } from '../events/events.ts'
import { idOf } from '../state/ids.ts'
import { TYPES, type HeldSecret, type SecretSource, type SecretType } from '../state/held.ts'
import type { Call } from '../wire/call.ts'
import type { Reply } from '../wire/reply.ts'
import { broken, notFound } from '../wire/errors.ts'
import { activate } from './active.ts'
import { choiceIn, fieldsIn, forbid, type Given } from './fields.ts'
import { requireInterval, requireOffered, requireRoom } from './limits.ts'
import { registered } from './register.ts'
import { MODES, type Origin } from './rules.ts'
import { uploaded } from './upload.ts'

interface SourceRow {
  readonly action: Action
  readonly make: (call: Call, type: SecretType, given: Given) => Origin | Promise<Origin>
}

const SOURCES: Readonly<Record<SecretSource, SourceRow>> = {
  HSM: { action: 'TS Generated', make: generated },
  UPLOADED: { action: 'TS Imported', make: uploaded },
  REMOTE: { action: 'Key Delivered', make: registered },
}

/** POST TenantSecret. @throws ApiError */
export async function createSecret(call: Call): Promise<Reply> {
  if (!call.user.permissions.includes('ManageEncryptionKeys')) throw notFound()
  const given = fieldsIn(call, 'create')
  const type = choiceIn(given, 'Type', TYPES) ?? 'Data'
  const usual = given.SecretValue === undefined ? 'HSM' : 'UPLOADED'
  const source = choiceIn(given, 'Source', ['HSM', 'UPLOADED', 'REMOTE'] as const) ?? usual
  requireOffered(call, type)
  requireRoom(call, type)
  requireInterval(call, type)
  const { make, action } = SOURCES[source]
  const origin = await make(call, type, given)
  const secret = newSecret(call, { type, source, description: given.Description ?? null }, origin)
  activate(call.state, secret, call.user)
  for (const each of [action, 'TS Stored'] as const) record(call, secret, each)
  return { status: 201, body: { id: secret.id, success: true, errors: [] } }
}

function newSecret(
  { state, organization, user }: Call,
  named: Pick<HeldSecret, 'type' | 'source' | 'description'>,
  origin: Origin,
): HeldSecret {
  const now = state.now()
  return {
    id: idOf('TenantSecret', state.nextNumber()),
    organizationId: organization.id,
    number: Math.max(0, ...state.secrets(organization.id).map((each) => each.number)) + 1,
    status: 'ACTIVE',
    ...{ createdAt: now, changedAt: now, createdBy: user.id, changedBy: user.id },
    ...named,
    ...origin,
  }
}

/** A secret that the platform generates. */
function generated(_call: Call, _type: SecretType, given: Given): Origin {
  forbid(given, 'SecretValue', 'SecretValueHash', 'SecretValueCertificate')
  forbid(given, 'RemoteKeyIdentifier', 'RemoteKeyServiceId', 'RemoteKeyCertificate')
  const mode = choiceIn(given, 'KeyDerivationMode', MODES) ?? 'PBKDF2'
  if (mode === 'NONE') throw broken('Generated tenant secrets are always derived.', 'KeyDerivationMode')
  return { mode, material: randomBytes(32) }
}
