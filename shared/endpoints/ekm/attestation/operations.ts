import { okStored, operation, route, type Route } from '../../../http/operation.ts'
import { AttestationTrustRecord, UpdateAttestationTrust } from './model.ts'
import { getTrust, updateTrust } from './trust.ts'

const AT = '/v1/keymgr/ekm/attestation-trust'

/** GET, PATCH /v1/keymgr/ekm/attestation-trust */
export const attestationTrustRoutes: readonly Route[] = [
  route(
    'GET',
    AT,
    operation(
      { summary: 'Get EKM Attestation Trust', answers: AttestationTrustRecord, may: 'admins' },
      async ({ context }) => okStored(await getTrust(context)),
    ),
  ),
  route(
    'PATCH',
    AT,
    operation(
      {
        summary: 'Update EKM Attestation Trust',
        body: UpdateAttestationTrust,
        answers: AttestationTrustRecord,
        may: 'admins',
      },
      async ({ body, context }) => okStored(await updateTrust(context, body)),
    ),
  ),
]
