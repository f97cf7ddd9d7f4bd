import { auditRecord } from '../../../audit/record.ts'
import { specNamed } from '../../../clouds/cloud-a/specs.ts'
import type { Journal } from '../../../clouds/cloud.ts'
import type { Context, Subject } from '../../../context.ts'
import { LOCAL_ALGORITHMS, USAGE } from '../../../crypto/algorithms.ts'
import type { CloudAKey, CloudAName } from '../../../model/cloud-a-key.ts'
import { CreateLocalKey } from '../../../model/local-key.ts'
import { auditRecords } from '../../../store/audit-record.ts'
import { Changes } from '../../../store/changes.ts'
import { localKeys } from '../../../store/local-key.ts'
import { createKey } from '../../local-keys/create-key.ts'

/** What a cloud key's material is to be from. */
interface Wanted {
  /** of the piece of work */
  readonly id: string
  /** the local key that was named; absent: a new one is made */
  readonly local_key_id?: string | undefined
  /** the cloud's kind of key */
  readonly spec: string
}

/** Ours: a key that is made for a cloud key is named after the work, so that an interrupted one finds its own. */
const nameFor = ({ id }: Wanted): string => `cloud-a-${id}`

/** A local key of the kind that fits, which may leave: that is what it is made for. */
function bodyFor(wanted: Wanted, cloud: CloudAName): CreateLocalKey {
  const { algorithm, sizeBits, curve } = specNamed(wanted.spec).fits(cloud)
  return CreateLocalKey.parse({
    name: nameFor(wanted),
    algorithm,
    usageMask: LOCAL_ALGORITHMS[algorithm].defaultUsage | USAGE.export,
    ...(curve === undefined ? { size: sizeBits } : { curveid: curve }),
  })
}

/** The step that notes the local key that was made. */
const LOCAL_KEY = 'local key'

/** The local key whose material may be at the cloud by now. */
export const sourceSoFar = ({ local_key_id }: Pick<Wanted, 'local_key_id'>, journal: Journal): string | undefined =>
  local_key_id ?? (journal.noted(LOCAL_KEY) as string | undefined) // what that step answered

/** Stages the audit record that a local key was made, as if it had been asked for by itself. */
function recordCreation(changes: Changes, { caller, now, clientIp, traceId, says }: Context, subject: Subject): void {
  const record = auditRecord(caller.domain.id, now, {
    severity: 'info',
    service: 'vault',
    message: 'Create Key',
    username: caller.username,
    clientIP: clientIp,
    success: true,
    details: {
      action: `part of ${says}`,
      resource_uri: subject.uri,
      resource_name: subject.name,
      ...(subject.after && { after: subject.after }),
    },
    requestId: traceId,
    principal: { sub: caller.sub, groups: [...caller.groups] },
  })
  changes.create(auditRecords, record.domain, record)
}

/**
 * Id of the local key whose material a cloud key gets: the one that was named, or a new one, made once. Ours: that one is
 * part of the work, so whoever may rotate a cloud key need not be one of those who make local keys.
 */
export async function sourceFor(
  context: Context,
  wanted: Wanted,
  cloud: CloudAName,
  journal: Journal,
): Promise<string> {
  if (wanted.local_key_id !== undefined) return wanted.local_key_id
  return journal.step(
    LOCAL_KEY,
    async () => {
      const changes = new Changes()
      const about = (subject: Subject): void => recordCreation(changes, context, subject)
      const { id } = await createKey({ ...context, changes, about }, bodyFor(wanted, cloud), false)
      await changes.commit(context.now)
      return id
    },
    async () => localKeys.holder(context.caller.domain.id, 'name', nameFor(wanted)),
  )
}

/** What the record of a cloud key says of the local key its material is from. */
export async function sourceOf(
  { caller }: Pick<Context, 'caller'>,
  localKeyId: string,
): Promise<Pick<CloudAKey, 'key_source' | 'local_key_id' | 'local_key_name'>> {
  const source = await localKeys.get(caller.domain.id, localKeyId)
  return {
    key_source: 'local',
    local_key_id: localKeyId,
    ...(source && { local_key_name: source.item.name }),
  }
}
