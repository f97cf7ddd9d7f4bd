import * as z from 'zod'
import type { DescribedProtocol } from '../../../../endpoint/described.ts'
import { METADATA_FIELDS, type MetadataField } from './access-log.ts'
import { XKS_ERRORS } from './errors.ts'
import { namesOf } from '../../../../base/fields.ts'
import { extended, object } from '../../../../base/lazy-fields.ts'

const STORE = '/v1/keymgr/cloud-a/xks-proxy-endpoints/{id}/kms/xks/v1'

/** `requestMetadata`, with the fields that a call requires. */
const metadata = (...required: readonly MetadataField[]) =>
  object(() => ({
    requestMetadata: z.object(
      Object.fromEntries(
        METADATA_FIELDS.map((name) => [name, required.includes(name) ? z.string() : z.string().optional()]),
      ),
    ),
  }))

const OF_KEY: readonly MetadataField[] = ['kmsRequestId', 'kmsOperation', 'awsPrincipalArn', 'kmsKeyArn']

const additional = { additionalAuthenticatedData: z.base64().optional(), encryptionAlgorithm: z.literal('AES_GCM') }

/** @see external key store proxy API */
export const xksDescribed: DescribedProtocol = {
  callers: 'The key service of cloud-a, with a signature made by a credential of the store.',
  security: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'Signature Version 4 over the request, with a credential of the key store.',
  },
  refused: object(() => ({
    errorName: z.enum(namesOf(XKS_ERRORS)).optional(),
    errorMessage: z.string(),
  })),
  calls: [
    {
      method: 'POST',
      path: `${STORE}/health`,
      summary: 'Get XKS Health',
      body: metadata('kmsRequestId', 'kmsOperation'),
      answers: object(() => ({
        healthStatus: z.enum(['ACTIVE', 'UNAVAILABLE']),
        xksProxyFleetSize: z.int(),
        xksProxyVendor: z.string(),
        xksProxyModel: z.string(),
        ekmVendor: z.string(),
        ekmFleetDetails: z.array(z.object({ id: z.string(), model: z.string(), healthStatus: z.string() })),
      })),
    },
    {
      method: 'POST',
      path: `${STORE}/keys/{key}/metadata`,
      summary: 'Get XKS Key Metadata',
      body: metadata('kmsRequestId', 'kmsOperation', 'awsPrincipalArn'),
      answers: object(() => ({
        keySpec: z.string(),
        keyUsage: z.array(z.enum(['ENCRYPT', 'DECRYPT'])),
        keyStatus: z.enum(['ENABLED', 'DISABLED']),
      })),
    },
    {
      method: 'POST',
      path: `${STORE}/keys/{key}/encrypt`,
      summary: 'Encrypt With XKS Key',
      body: extended(metadata(...OF_KEY), () => ({
        plaintext: z.base64(),
        ...additional,
        ciphertextDataIntegrityValueAlgorithm: z.literal('SHA_256').optional(),
      })),
      answers: object(() => ({
        ciphertext: z.base64(),
        initializationVector: z.base64(),
        authenticationTag: z.base64(),
        ciphertextMetadata: z.base64(),
        ciphertextDataIntegrityValue: z.base64().optional(),
      })),
    },
    {
      method: 'POST',
      path: `${STORE}/keys/{key}/decrypt`,
      summary: 'Decrypt With XKS Key',
      body: extended(metadata(...OF_KEY), () => ({
        ciphertext: z.base64(),
        initializationVector: z.base64(),
        authenticationTag: z.base64(),
        ciphertextMetadata: z.base64().optional(),
        ...additional,
      })),
      answers: object(() => ({ plaintext: z.base64() })),
    },
  ],
}
