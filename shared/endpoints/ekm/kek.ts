import type { Context } from '../../http/context.ts'
import { ekmAlgorithm } from '../../crypto/protocols/ekm-algorithms.ts'
import { Refusal } from '../../base/errors.ts'
import { EXISTING_KEY, existingKek, newKek, type Kek } from '../../endpoint/kek.ts'
import { versionsOf } from '../../vault/keys/lists/find-key.ts'
import type { CreateEkmEndpoint } from './model.ts'

/** Ours: as many versions as one transaction can register or remove addresses for. */
export const VERSIONS_MOST = 60

/** The local key of an EKM endpoint when the endpoint is created. */
interface EkmKek extends Kek {
  /** all versions, oldest first */
  readonly versionIds: readonly string[]
}

/** Creates a local key for an endpoint, named after it. */
export async function newEkmKek(context: Context, endpointId: string, body: CreateEkmEndpoint): Promise<EkmKek> {
  const kek = await newKek(context, `ekm-${endpointId}`, ekmAlgorithm(body.algorithm))
  return { ...kek, versionIds: [kek.id] }
}

/**
 * An existing local key with all its versions; any of them may be named, the latest is used.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN with every broken requirement, STATE_CONFLICT for too many
 * versions
 */
export async function existingEkmKek(context: Context, reference: string, body: CreateEkmEndpoint): Promise<EkmKek> {
  const kek = await existingKek(context, reference, ekmAlgorithm(body.algorithm), body.algorithm)
  const versionIds = (await versionsOf(context.caller.domain.id, kek.name)).map(({ item }) => item.id)
  if (versionIds.length > VERSIONS_MOST)
    throw new Refusal('STATE_CONFLICT', `The key has more than ${VERSIONS_MOST} versions: delete old ones first.`, {
      errors: [{ pointer: EXISTING_KEY, detail: `must have at most ${VERSIONS_MOST} versions` }],
    })
  return { ...kek, versionIds }
}
