/** Ends the demo early. `message` is one sentence for the user. */
export class DemoFailure extends Error {
  override readonly name = 'DemoFailure'
}

/** Ends the demo when a fact is false. @param says the fact, such as `the key is Enabled` */
export function assertTold(fact: boolean, says: string): asserts fact {
  if (!fact) throw new DemoFailure(`Not as expected after the last call: ${says}.`)
}
