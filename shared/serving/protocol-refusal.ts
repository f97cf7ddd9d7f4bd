import { Refusal, type Reason } from '../base/errors.ts'

/** A refusal in the words of a protocol that has its own. `message`: what the caller reads, nothing secret. */
export class ProtocolRefusal<Name extends string> extends Error {
  override readonly name: string = 'ProtocolRefusal'
  readonly errorName: Name

  constructor(errorName: Name, message: string) {
    super(message)
    this.errorName = errorName
  }
}

/**
 * What an error is called in a protocol.
 * @param Own what the protocol's handlers throw. @param names of the domain's reasons
 * @param fault what every other error is called: it is ours
 */
export const namesOfErrors =
  <Name extends string>(
    Own: abstract new (...args: never[]) => ProtocolRefusal<Name>,
    names: Partial<Record<Reason, Name>>,
    fault: Name,
  ) =>
  (error: unknown): Name => {
    if (error instanceof Own) return error.errorName
    return (error instanceof Refusal ? names[error.reason] : undefined) ?? fault
  }
