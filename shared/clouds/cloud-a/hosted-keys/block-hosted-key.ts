import type { Context } from '../../../http/context.ts'
import { Refusal } from '../../../base/errors.ts'
import type { CloudAKey } from '../keys/model.ts'
import type { Stored } from '../../../store/entity.ts'
import { findKeyAnywhere, findKeyFor } from '../../../cloud/keys/find-key.ts'
import { changeKey } from '../../../cloud/keys/record-key.ts'
import { keyKind, type CloudATypes } from '../keys/kind.ts'
import { hostedParamsOf } from './hosted-params.ts'

type Switch = (context: Context, id: string) => Promise<Stored<CloudAKey>>

const switchTo =
  (blocked: boolean, find: typeof findKeyFor<CloudATypes>): Switch =>
  async (context, id) => {
    const found = await find(keyKind, context, id, 'hyokkeyblockunblock')
    const hosted = hostedParamsOf(found.stored.item)
    if (hosted.blocked === blocked)
      throw new Refusal('STATE_CONFLICT', `The key is ${blocked ? 'blocked already' : 'not blocked'}.`)
    return changeKey(keyKind, context, found, (key) => ({ ...key, local_hosted_params: { ...hosted, blocked } }))
  }

/**
 * Blocks a hosted key: the data plane refuses it within 5 seconds; the cloud is not called. Ours: also in an archived
 * container, since it only stops use.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT when it is blocked already, or is not a hosted key
 */
export const blockKey: Switch = switchTo(true, findKeyAnywhere)
/** @throws Refusal NOT_FOUND, ACTION_DENIED, STATE_CONFLICT unless it is blocked */
export const unblockKey: Switch = switchTo(false, findKeyFor)
