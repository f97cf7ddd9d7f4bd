import * as z from 'zod'
import type { DescribedCall, DescribedProtocol } from '../../endpoint/described.ts'
import { KEY_VERBS, type KeyVerb } from './data/address.ts'

/** Bytes of a message: either base64 alphabet, padded or not. */
const Bytes = z.string().meta({ description: 'base64' })

/** Members that every call may have. */
const common = {
  keyPath: z.string().optional(),
  keyUriPrefix: z.string().optional(),
  additionalContext: z
    .object({
      relativeResourceName: z.string().optional(),
      fullResourceName: z.string().optional(),
      isKeyHealthCheck: z.boolean().optional(),
      accessReasonContext: z.object({ reason: z.union([z.string(), z.int()]).optional() }).optional(),
    })
    .optional(),
}

const additional = { ...common, additionalAuthenticatedData: Bytes.optional() }

const CALLS: Readonly<Record<KeyVerb, Pick<DescribedCall, 'summary' | 'body' | 'answers'>>> = {
  wrap: {
    summary: 'Wrap With EKM Key',
    body: z.object({ plaintext: Bytes, ...additional }),
    answers: z.object({ wrappedBlob: z.base64() }),
  },
  unwrap: {
    summary: 'Unwrap With EKM Key',
    body: z.object({ wrappedBlob: Bytes, ...additional }),
    answers: z.object({ plaintext: z.base64() }),
  },
  asymmetricSign: {
    summary: 'Sign With EKM Key',
    body: z.object({
      data: Bytes.optional(),
      digest: z
        .union([Bytes, z.object({ sha256: Bytes }), z.object({ sha384: Bytes }), z.object({ sha512: Bytes })])
        .optional(),
      ...common,
    }),
    answers: z.object({ signature: z.base64() }),
  },
  getPublicKey: {
    summary: 'Get EKM Public Key',
    body: z.object(common),
    answers: z.object({ pem: z.string(), algorithm: z.string() }),
  },
}

/** Calls on crypto spaces. @see external key manager API of cloud-c, coordinated keys */
const SPACE_CALLS: readonly DescribedCall[] = [
  {
    method: 'POST',
    path: '/v1/keymgr/ekm/cryptospaces/{space}:createKey',
    summary: 'Create EKM Key In Crypto Space',
    body: z.object({ algorithm: z.string().optional(), additionalContext: common.additionalContext }),
    answers: z.object({ keyPath: z.string() }),
  },
  {
    method: 'POST',
    path: '/v1/keymgr/ekm/cryptospaces/{space}:checkCryptoSpacePermissions',
    summary: 'Check EKM Crypto Space Permissions',
    body: z.object({ permissions: z.array(z.string()).optional(), additionalContext: common.additionalContext }),
    answers: z.object({ permissions: z.array(z.string()) }),
  },
]

/** @see external key manager API of cloud-c */
export const ekmDescribed: DescribedProtocol = {
  callers: 'The key service of cloud-c, with an identity token made for the host of the endpoint.',
  refused: z.object({ error: z.object({ code: z.int(), message: z.string(), status: z.string() }) }),
  calls: [
    ...KEY_VERBS.map((verb) => ({
      method: 'POST' as const,
      path: `/v1/keymgr/ekm/endpoints/{key}:${verb}`,
      ...CALLS[verb],
    })),
    ...SPACE_CALLS,
  ],
}
