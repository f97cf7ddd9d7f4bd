/** Why no work begins in a user's name any more, as it follows the name of the user. */
export type Lapse = 'was deleted' | 'is disabled' | 'is no guest of this domain any more'
