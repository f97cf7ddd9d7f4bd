import type { StoredCloudBVault } from '../vaults/store.ts'
import type { RotationLabels } from './model.ts'

/** The facts of a version that decide which job rotates it. */
interface OfKey {
  readonly is_latest: boolean
  readonly gone: boolean
  readonly labels?: RotationLabels | undefined
  readonly cloud_b_param: { readonly managed?: boolean | undefined }
}

/**
 * The job of a version: its own, or its vault's. The vault's job applies to the latest version of every key that no
 * certificate manages, and takes precedence if it overrides.
 */
export function jobOf(
  { labels: ofVault }: Pick<StoredCloudBVault, 'labels'>,
  { is_latest, gone, labels, cloud_b_param: { managed } }: OfKey,
): RotationLabels | undefined {
  const own = labels?.of_vault === true ? undefined : labels
  if (ofVault === undefined || !is_latest || gone || managed === true) return own
  const { job_config_id, auto_rotate_key_source, override_key_scheduler } = ofVault
  if (own !== undefined && override_key_scheduler !== true) return own
  return { job_config_id, auto_rotate_key_source, of_vault: true }
}
