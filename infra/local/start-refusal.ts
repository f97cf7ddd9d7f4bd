/** Why the local deployment does not start: `message` is the one sentence its user reads. */
export class StartRefusal extends Error {
  override readonly name = 'StartRefusal'
}
