/** Whether a path value is empty or steps within the address: the call would reach another resource or operation. */
export const isNoSegment = (value: unknown): boolean => ['', '.', '..'].includes(String(value))
