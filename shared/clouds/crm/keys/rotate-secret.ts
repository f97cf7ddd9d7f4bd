import type { Context } from '../../../http/context.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import { certificateFor } from '../certificates/certificates.ts'
import type { CrmKeyType } from '../param.ts'
import type { RotationParam } from '../rotation-param.ts'
import { creatingSecret, LOCAL_SPEC, newSecret, organizationFor } from './create-secret.ts'

/** How the new secret's material is made. */
type Source = Pick<RotationParam, 'key_source' | 'certificate_id' | 'key_derivation_mode'>

/**
 * Creates the successor of the active secret of a type: with the cloud's own material, or with that of a new local key.
 * @param expires_at on record only, because the cloud knows no expiry
 * @returns id of the new secret
 * @throws Refusal NOT_FOUND, ACTION_DENIED, and the cloud's own
 */
export async function rotateSecret(
  context: Context,
  organizationId: string,
  type: CrmKeyType,
  { key_source, certificate_id = '', key_derivation_mode = 'PBKDF2' }: Source,
  expires_at: string | undefined,
): Promise<string> {
  const { item } = await carryOut(context, creatingSecret, async () => {
    const organization = await organizationFor(context, organizationId, 'keyrotate')
    const rotated_at = context.now.toISOString()
    if (key_source !== 'keymgr') {
      const made = newSecret(context, organization, { expires_at, rotated_at })
      return { id: made.id, container: organization.id, input: { ...made, spec: { type, description: '' } } }
    }
    const certificate = await certificateFor(context, certificate_id, organization.id)
    const made = newSecret(context, organization, { expires_at, rotated_at, certificate_id })
    const spec = { type, description: '', upload: { key_derivation_mode, certificate: certificate.name } }
    return { id: made.id, container: organization.id, input: { ...made, spec, new_local_key: LOCAL_SPEC } }
  })
  return item.id
}
