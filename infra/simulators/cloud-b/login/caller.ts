/** A caller whose token was verified. */
export interface Caller {
  readonly objectId: string
  readonly tenant: string
  /** client id of an application; absent for people */
  readonly clientId?: string
  /** user principal name of a person */
  readonly upn?: string
  readonly audience: string
  /** JSON of the claims that its token was asked for with. */
  readonly claims?: string
}

/** As refusals name the caller. */
export const nameOf = ({ clientId = '', objectId, tenant }: Caller): string =>
  `appid=${clientId};oid=${objectId};iss=https://sts.windows.net/${tenant}/`
