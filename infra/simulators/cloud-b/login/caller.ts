/** A caller whose token was verified. */
export interface Caller {
  readonly objectId: string
  readonly tenant: string
  /** client id of an application; absent for people */
  readonly clientId?: string
  /** user principal name of a person */
  readonly upn?: string
  readonly audience: string
  /** JSON of the claims in the request for its token. */
  readonly claims?: string
}

/** The name of the caller in refusals. */
export const nameOf = ({ clientId = '', objectId, tenant }: Caller): string =>
  `appid=${clientId};oid=${objectId};iss=https://sts.windows.net/${tenant}/`
