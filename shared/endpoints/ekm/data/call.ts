import type { Fields } from '../../../base/json.ts'
import type { ServedEndpoint } from './served-endpoint.ts'
import type { Moment } from '../../../base/moment.ts'
import type { Trail } from './trail.ts'

/** A call of somebody who may make it, to an endpoint that is enabled. */
export interface EkmCall {
  readonly endpoint: ServedEndpoint
  /** id of the version in the address */
  readonly kekId: string
  readonly fields: Fields
  /** told of the version that is used, before it is */
  readonly trail: Trail
  readonly now: Moment
}

/** One operation of the protocol. */
export interface EkmVerb {
  readonly keyType: ServedEndpoint['keyType']
  /** what only a confidential machine may do, where the endpoint asks for one */
  readonly confidential?: 'encrypt' | 'decrypt'
  /** What is answered with status 200. @throws EkmRefusal, Refusal */
  readonly answer: (call: EkmCall) => object | Promise<object>
}
