import type * as z from 'zod'

/**
 * A call of a data plane, for the API description. The data plane parses its bodies itself, for speed and exact
 * refusals.
 */
export interface DescribedCall {
  readonly method: 'GET' | 'POST'
  /** below `/api` */
  readonly path: string
  /** the id of the operation is derived from its words */
  readonly summary: string
  readonly body?: z.ZodType
  readonly answers: z.ZodType
  /** requires no authentication */
  readonly isOpen?: true
  /** an old name of another call */
  readonly isFormer?: true
}

/** @see OpenAPI Specification 3.1, "Security Scheme Object" */
interface SecurityScheme {
  readonly type: 'apiKey' | 'http' | 'mutualTLS'
  readonly scheme?: string
  readonly in?: 'header'
  readonly name?: string
  readonly description?: string
}

/** A protocol's data plane, for the API description. */
export interface DescribedProtocol {
  readonly calls: readonly DescribedCall[]
  /** who may call, in a sentence */
  readonly callers: string
  /** how callers authenticate: a security scheme, or in the body; absent for a bearer token in the header */
  readonly security?: SecurityScheme | 'in body'
  /** a bearer token is accepted instead of what `security` describes */
  readonly acceptsBearer?: true
  /** the body of every refusal */
  readonly refused: z.ZodType
}
