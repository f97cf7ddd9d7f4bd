export const waitFor = (): number => 0
