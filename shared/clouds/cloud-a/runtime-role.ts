import { setting } from '../../base/environment.ts'
import { PARTITIONS } from './adapter/partitions.ts'
import type { CloudAName } from './keys/model.ts'

/** A role of the deployment, which connections without access keys use. */
export interface RuntimeRole {
  readonly arn: string
  readonly externalId: string | undefined
}

/** The refusal's message when the deployment has no such role. */
export const noRuntimeRole = (edition: CloudAName): string =>
  `The connection has no access keys, and this deployment has no role of its own for ${edition}.`

/**
 * The role for an edition of the cloud; `undefined` when the deployment has none there. A role belongs to the edition
 * in which the deployment runs.
 */
export function runtimeRole(edition: CloudAName): RuntimeRole | undefined {
  const arn = setting('KEYMGR_RUNTIME_ROLE')
  if (!arn || arn.split(':')[1] !== PARTITIONS[edition].name) return undefined
  return { arn, externalId: setting('KEYMGR_RUNTIME_ROLE_EXTERNAL_ID') || undefined }
}
