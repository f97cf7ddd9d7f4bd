/** Address of the console. */
export const HOME = '/console/'
