import * as z from 'zod'
import type { DescribedProtocol } from '../../endpoint/described.ts'
import { object } from '../../base/lazy-fields.ts'

const KEY = '/v1/keymgr/docsuite/dke-data-plane/endpoints/{id}/keys/{key}'

/** @see double key encryption, service API */
export const dkeDescribed: DescribedProtocol = {
  callers: 'A person of an admitted tenant, with a token made for the endpoint.',
  refused: object(() => ({ type: z.string(), status: z.int(), detail: z.string() })),
  calls: [
    {
      method: 'GET',
      path: KEY,
      summary: 'Get DKE Public Key',
      isOpen: true,
      answers: object(() => ({
        key: z.object({
          kty: z.literal('RSA'),
          n: z.base64(),
          e: z.int(),
          alg: z.literal('RS256'),
          kid: z.string().meta({ description: 'the address of the version, to which documents return' }),
        }),
        cache: z.object({ exp: z.string().meta({ description: 'UTC, without fraction and zone' }) }),
      })),
    },
    {
      method: 'POST',
      path: `${KEY}/{version}/decrypt`,
      summary: 'Decrypt With DKE Key',
      body: object(() => ({ alg: z.literal('RSA-OAEP-256'), value: z.base64() })),
      answers: object(() => ({ value: z.base64() })),
    },
  ],
}
