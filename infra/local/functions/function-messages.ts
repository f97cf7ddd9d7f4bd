/** Messages between the deployment and a function's worker thread. */
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
  /** JSON, without the text `body` of a request: a function never shares objects with its caller */
  readonly event: string
  /** that text: escaping and parsing a large one would delay other calls */
  readonly body?: string
  /** time limit of the call, in milliseconds of the machine's clock */
  readonly deadline: number
}

/** A function's failure, as the platform reports it to the caller. */
export interface Fault {
  /** name of the error that was thrown, or one of the platform's own, such as `Sandbox.Timedout` */
  readonly errorType: string
  readonly errorMessage: string
  /** for the log: the message, with its stack where there is one */
  readonly text: string
}

/** A thrown value, as Lambda's runtime reports it. */
export const faultOf = (error: unknown): Fault =>
  error instanceof Error
    ? { errorType: error.name, errorMessage: error.message, text: error.stack ?? error.message }
    : { errorType: typeof error, errorMessage: String(error), text: String(error) }

export type ReplyMessage =
  { readonly id: string; readonly result: string } | { readonly id: string; readonly fault: Fault }
