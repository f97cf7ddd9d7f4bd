import * as z from 'zod'
import type { DescribedCall, DescribedProtocol } from '../../endpoint/described.ts'
import { object } from '../../base/lazy-fields.ts'
import {
  CONFIDENTIAL_VERBS,
  KEY_VERBS,
  SESSION_CALLS,
  type ConfidentialVerb,
  type KeyVerb,
  type SessionCall,
} from './data/address.ts'

/** Bytes of a message: either base64 alphabet, padded or not. */
const Bytes = z.string().meta({ description: 'base64' })

/** Members that every call may have. */
const common = {
  keyPath: z.string().optional(),
  keyUriPrefix: z.string().optional(),
  additionalContext: object(() => ({
    relativeResourceName: z.string().optional(),
    fullResourceName: z.string().optional(),
    isKeyHealthCheck: z.boolean().optional(),
    accessReasonContext: z.object({ reason: z.union([z.string(), z.int()]).optional() }).optional(),
  })).optional(),
}

const additional = { ...common, additionalAuthenticatedData: Bytes.optional() }

/** Exactly one of `data` and `digest`. */
const toSign = {
  data: Bytes.optional(),
  digest: z
    .union([Bytes, z.object({ sha256: Bytes }), z.object({ sha384: Bytes }), z.object({ sha512: Bytes })])
    .optional(),
  ...common,
}

const CALLS: Readonly<Record<KeyVerb, Pick<DescribedCall, 'summary' | 'body' | 'answers'>>> = {
  wrap: {
    summary: 'Wrap With EKM Key',
    body: z.object({ plaintext: Bytes, ...additional }),
    answers: object(() => ({ wrappedBlob: z.base64() })),
  },
  unwrap: {
    summary: 'Unwrap With EKM Key',
    body: z.object({ wrappedBlob: Bytes, ...additional }),
    answers: object(() => ({ plaintext: z.base64() })),
  },
  asymmetricSign: {
    summary: 'Sign With EKM Key',
    body: z.object(toSign),
    answers: object(() => ({ signature: z.base64() })),
  },
  asymmetricVerify: {
    summary: 'Verify With EKM Key',
    body: z.object({ ...toSign, signature: Bytes }),
    answers: object(() => ({ success: z.boolean() })),
  },
  getPublicKey: {
    summary: 'Get EKM Public Key',
    body: z.object(common),
    answers: object(() => ({ pem: z.string(), algorithm: z.string() })),
  },
  destroyKey: {
    summary: 'Destroy EKM Key In Crypto Space',
    body: z.object(common),
    answers: z.object({}).meta({ description: 'the key is destroyed within a minute' }),
  },
}

/** Calls on crypto spaces. @see external key manager API of cloud-c, coordinated keys */
const SPACE_CALLS: readonly DescribedCall[] = [
  {
    method: 'POST',
    path: '/v1/keymgr/ekm/cryptospaces/{space}:createKey',
    summary: 'Create EKM Key In Crypto Space',
    body: object(() => ({ algorithm: z.string().optional(), additionalContext: common.additionalContext })),
    answers: object(() => ({ keyPath: z.string() })),
  },
  {
    method: 'POST',
    path: '/v1/keymgr/ekm/cryptospaces/{space}:checkCryptoSpacePermissions',
    summary: 'Check EKM Crypto Space Permissions',
    body: object(() => ({ permissions: z.array(z.string()).optional(), additionalContext: common.additionalContext })),
    answers: object(() => ({ permissions: z.array(z.string()) })),
  },
]

const sessionContext = Bytes.meta({ description: 'the handle of the session, base64' })

const inSession = (summary: string): Pick<DescribedCall, 'summary' | 'body' | 'answers'> => ({
  summary,
  body: object(() => ({ sessionContext, tlsRecords: Bytes, requestMetadata: z.object(common).optional() })),
  answers: object(() => ({ tlsRecords: z.base64() })),
})

const CONFIDENTIAL_CALLS: Readonly<Record<ConfidentialVerb, ReturnType<typeof inSession>>> = {
  confidentialwrap: inSession('Wrap In EKM Session'),
  confidentialunwrap: inSession('Unwrap In EKM Session'),
}

const SESSIONS: Readonly<Record<SessionCall, ReturnType<typeof inSession>>> = {
  beginsession: {
    summary: 'Begin EKM Session',
    body: z.object({ tlsRecords: Bytes }),
    answers: object(() => ({ sessionContext: z.base64(), tlsRecords: z.base64() })),
  },
  handshake: {
    summary: 'Continue EKM Session Handshake',
    body: z.object({ sessionContext, tlsRecords: Bytes }),
    answers: object(() => ({ tlsRecords: z.base64().optional() })),
  },
  negotiateattestation: {
    summary: 'Negotiate EKM Session Attestation',
    body: z.object({ sessionContext, offeredEvidenceTypesRecords: Bytes }),
    answers: object(() => ({ requiredEvidenceTypesRecords: z.base64() })),
  },
  finalize: {
    summary: 'Finalize EKM Session',
    body: object(() => ({ sessionContext, attestationEvidenceRecords: Bytes.optional() })),
    answers: z.object({}),
  },
  endsession: {
    summary: 'End EKM Session',
    body: z.object({ sessionContext, tlsRecords: Bytes }),
    answers: z.object({}),
  },
}

/** @see external key manager API of cloud-c */
export const ekmDescribed: DescribedProtocol = {
  callers: 'The key service of cloud-c, with an identity token made for the host of the endpoint.',
  refused: object(() => ({ error: z.object({ code: z.int(), message: z.string(), status: z.string() }) })),
  calls: [
    ...KEY_VERBS.map((verb) => ({
      method: 'POST' as const,
      path: `/v1/keymgr/ekm/endpoints/{key}:${verb}`,
      ...CALLS[verb],
    })),
    ...CONFIDENTIAL_VERBS.map((verb) => ({
      method: 'POST' as const,
      path: `/v1/keymgr/ekm/endpoints/{key}:${verb}`,
      ...CONFIDENTIAL_CALLS[verb],
    })),
    ...SESSION_CALLS.map((call) => ({
      method: 'POST' as const,
      path: `/v1/keymgr/ekm/session/${call}`,
      ...SESSIONS[call],
    })),
    ...SPACE_CALLS,
  ],
}
