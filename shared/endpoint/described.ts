import type * as z from 'zod'

/** A call of a data plane as the API description has it. The data plane reads its bodies by itself, for speed and exact refusals. */
export interface DescribedCall {
  readonly method: 'GET' | 'POST'
  /** below `/api` */
  readonly path: string
  /** words of which the id of the operation is made */
  readonly summary: string
  readonly body?: z.ZodType
  readonly answers: z.ZodType
  /** takes no proof of who calls */
  readonly isOpen?: true
  /** a former name of another call */
  readonly isFormer?: true
}

/** The data plane of a protocol for the API description. */
export interface DescribedProtocol {
  readonly calls: readonly DescribedCall[]
  /** who may call, as a sentence */
  readonly callers: string
  /** how callers prove who they are: a security scheme, or in the body; absent for a bearer token in the header */
  readonly security?: Readonly<Record<string, unknown>> | 'in body'
  /** the body of every refusal */
  readonly refused: z.ZodType
}
