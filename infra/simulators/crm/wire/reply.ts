/** An answer, without the headers that every answer has. */
export interface Reply {
  readonly status?: number
  readonly body?: unknown
  /** Instead of a JSON body. */
  readonly text?: { readonly type: string; readonly content: string }
  readonly headers?: Readonly<Record<string, string>>
}
