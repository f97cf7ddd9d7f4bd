/** A call to a vault, as its log stores it. The columns on the wire are derived from it. */
export interface LogRow {
  readonly id: string
  readonly workspace: string
  readonly at: number
  /** Number within the rows of one millisecond: times in logs are finer, and no two are the same. */
  readonly tick: number
  readonly vault: string
  /** resource id of the vault when the call was made */
  readonly resourceId: string
  readonly operation: string
  readonly apiVersion: string
  readonly status: number
  /** code of the refusal, or the HTTP status in words */
  readonly signature: string
  readonly description?: string | undefined
  /** identifier of the item in the vault */
  readonly subject?: string | undefined
  readonly requestUri: string
  readonly userAgent: string
  readonly address: string
  readonly correlationId: string
  readonly clientId?: string | undefined
  readonly objectId?: string | undefined
  readonly upn?: string | undefined
  readonly tenant?: string | undefined
}
