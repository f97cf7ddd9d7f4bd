/** Methods of the interface. */
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
