/** Reason why the deployment does not start. `message` is one sentence for the user. */
export class StartRefusal extends Error {
  override readonly name = 'StartRefusal'
}
