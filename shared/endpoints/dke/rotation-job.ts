import { Refusal } from '../../base/errors.ts'
import { without } from '../../base/fields.ts'
import type { Context } from '../../http/context.ts'
import { changeRecord } from '../../resource/records.ts'
import { assertNotArchived } from '../../endpoint/states.ts'
import type { Stored } from '../../store/entity.ts'
import { joinConfig } from '../../work/schedule/configs/attachments.ts'
import type { DkeEndpoint, JoinRotation } from './model.ts'
import { dke } from './protocol.ts'
import { dkeEndpointKind } from './records.ts'

/**
 * Adds the endpoint to the job configuration that is to rotate its key, and removes it from a former one.
 * @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT for an archived endpoint, RULE_BROKEN for a configuration of
 * another operation or cloud
 */
export const enableRotation = (
  context: Context,
  id: string,
  { job_config_id }: JoinRotation,
): Promise<Stored<DkeEndpoint>> =>
  changeRecord(dkeEndpointKind, context, id, async (endpoint) => {
    assertNotArchived(dkeEndpointKind, endpoint)
    await joinConfig(context, job_config_id, { operation: 'keymgr_key_rotation', cloud: dke.rotatedAs })
    return { ...endpoint, labels: { job_config_id } }
  })

/**
 * Removes the endpoint from its job configuration. @throws Refusal NOT_FOUND, VERSION_STALE, STATE_CONFLICT without one
 */
export const disableRotation = (context: Context, id: string): Promise<Stored<DkeEndpoint>> =>
  changeRecord(dkeEndpointKind, context, id, (endpoint) => {
    if (endpoint.labels !== undefined) return without(endpoint, 'labels')
    throw new Refusal('STATE_CONFLICT', `No job rotates the key of the DKE endpoint ${endpoint.name}.`)
  })
