/** Ends the demo early. `message` is one sentence for the user. */
export class DemoFailure extends Error {
  override readonly name = 'DemoFailure'
}

/** Ends the demo when something is not as the story says. @param says a fact, as in `the key is Enabled` */
export function assertTold(fact: boolean, says: string): asserts fact {
  if (!fact) throw new DemoFailure(`Not as expected after the last call: ${says}.`)
}
