/** What passes between the deployment and a function's worker thread. */
export interface WorkerSetup {
  readonly name: string
  /** `file:` address of the bundle */
  readonly entry: string
  readonly arn: string
  readonly memoryMiB: number
  readonly logStream: string
}

export interface CallMessage {
  readonly id: string
  /** JSON: a function sees what the wire would give it, never shared objects */
  readonly event: string
  /** when the call's time is over, in milliseconds of the machine's clock */
  readonly deadline: number
}

export type ReplyMessage =
  { readonly id: string; readonly result: string } | { readonly id: string; readonly fault: string }
