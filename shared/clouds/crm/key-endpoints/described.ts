import * as z from 'zod'
import type { DescribedProtocol } from '../../../endpoint/described.ts'
import { object } from '../../../base/lazy-fields.ts'

export const crmDescribed: DescribedProtocol = {
  callers: 'The cloud, with the password of the endpoint or a token of its issuer.',
  security: { type: 'http', scheme: 'basic', description: 'The user name and password of the endpoint.' },
  acceptsBearer: true,
  refused: object(() => ({ type: z.string(), status: z.int(), detail: z.string() })),
  calls: [
    {
      method: 'GET',
      path: '/v1/keymgr/crm/endpoints/{id}/keys/{kid}',
      summary: 'Fetch Crm Key',
      answers: object(() => ({
        kid: z.string(),
        jwe: z.string().meta({ description: "compact JWE of the key, RSA-OAEP for the certificate's key and A256GCM" }),
      })),
    },
  ],
}
